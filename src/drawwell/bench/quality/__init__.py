"""How well drawwell finds what answers a question, on test collections, beside what anybody would use instead.

``systems`` and ``product`` answer, ``measures`` scores, ``ranking`` and ``cutting`` run a collection, ``run`` runs them
all, ``tables`` shows them. Needs the packages of the extra ``bench``.
"""
