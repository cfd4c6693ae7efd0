"""Languages: the guess by function words, the lists themselves, and stems."""

from __future__ import annotations

import pytest

from drawwell.text.words.forms import is_function_word
from drawwell.text.words.languages import ENGLISH, FUNCTION_WORDS, guess_language
from drawwell.text.words.stems import LATIN_LANGUAGES, stem

TEXTS = {
    "en": "This is the page that we have made for those who do not know how it is to be used.",
    "de": "Das ist die Seite, die wir für alle gemacht haben, welche nicht wissen, wie sie zu benutzen ist.",
    "fr": "Voici la page que nous avons faite pour ceux qui ne savent pas comment elle est utilisée dans les cas.",
    "es": "Esta es la página que hemos hecho para los que no saben cómo se usa con las otras de este sitio.",
    "it": "Questa è la pagina che abbiamo fatto per quelli che non sanno come si usa nella vita di ogni giorno.",
    "pt": "Esta é a página que nós fizemos para os que não sabem como ela se usa com as outras do mesmo lugar.",
    "nl": "Dit is de pagina die wij gemaakt hebben voor wie niet weet hoe het moet worden gebruikt met een ander.",
    "sv": "Det är sidan som vi har gjort för den som inte vet hur man ska använda det med de andra eller utan dem.",
    "da": "Det er den side, som vi har lavet til dem, der ikke ved, hvordan de skal bruge noget af det efter os.",
    "no": "Dette er den siden som vi har laget for dem som ikke vet hvordan noen av disse skal brukes etter oss.",
    "fi": "Tämä on sivu, jonka me olemme tehneet niille, jotka eivät tiedä miten se on, kun he ovat vielä mukaan.",
    "tr": "Bu sayfa onu nasıl ve neden olduğunu bilmeyen için bir de daha çok şu gibi ama kadar sonra değil.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_language_of_a_text(language: str) -> None:
    """A few sentences tell their language, in any case."""
    assert guess_language(TEXTS[language].replace(",", "").split(), 4) == language
    assert guess_language(TEXTS[language].upper().replace(",", "").split(), 4) == language or language == "tr"


@pytest.mark.parametrize(
    "words",
    ["", "man page", "die casting", "pip install uv", "a de la", "for i in range x y o e a", "alle alle alle alle"],
)
def test_english_when_little_tells(words: str) -> None:
    """Few words, code and names are taken to be English."""
    assert guess_language(words.split(), 4) == ENGLISH


def test_lists_cover_the_languages() -> None:
    """Every language with stems has its function words, case-folded, at least forty of them."""
    assert set(LATIN_LANGUAGES) <= set(FUNCTION_WORDS)
    for words in FUNCTION_WORDS.values():
        assert len(words) >= 40
        assert all(word == word.casefold() and word.split() == [word] for word in words)


@pytest.mark.parametrize(
    ("word", "language", "says_nothing"),
    [
        ("the", "en", True),
        ("without", "en", False),
        ("die", "en", False),
        ("die", "de", True),
        ("чтобы", "en", True),
        ("πωσ", "en", True),
        ("πώσ", "de", True),
        ("кэш", "en", False),
    ],
)
def test_function_words(word: str, language: str, says_nothing: bool) -> None:
    """Words in another script are judged by its language; place, time and quantity say something in English."""
    assert is_function_word(word, language) is says_nothing


@pytest.mark.parametrize(
    ("forms", "language"),
    [
        ("install installs installed installing", "en"),
        ("policy policies", "en"),
        ("index indices indexes", "en"),
        ("buy bought buying", "en"),
        ("vertrag vertrages verträge", "de"),
        ("maison maisons", "fr"),
        ("файл файлы файлов", "en"),
        ("μνήμη μνημη", "en"),
        ("istanbul i̇stanbul", "en"),
    ],
)
def test_forms_of_one_word_have_one_stem(forms: str, language: str) -> None:
    """SR-04, SR-08: inflected, irregular and unaccented forms meet."""
    assert len({stem(form, language) for form in forms.split()}) == 1


def test_stems_bear_their_language() -> None:
    """Stems in Latin letters of another language than English bear its mark; other scripts and codes do not."""
    assert stem("notes", "fr") == "fr:not"
    assert stem("notes", "en") == "note"
    assert stem("файлы", "fr") == stem("файлы", "en")
    assert stem("tx-4419", "fr") == "tx-4419"
