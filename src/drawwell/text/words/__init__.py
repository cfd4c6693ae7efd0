"""Words: from the characters of a text to the forms under which each word is indexed and asked for."""
