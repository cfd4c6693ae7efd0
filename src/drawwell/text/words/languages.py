"""Languages: their function words, and a guess at the language of a text by counting them.

The words of the closed classes (articles, pronouns, conjunctions, auxiliaries, question words, the small prepositions)
tell languages apart and say nothing about what a question is after. English words of place, time and quantity
(*without*, *before*, *only*, *all*) are not in the list: leaving them in questions was measured to be better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

__all__ = ["ENGLISH", "FUNCTION_WORDS", "guess_language", "language_of_letter"]

ENGLISH = "en"

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.casefold().split())
    for language, words in {
        "en": "a about also am an and are aren't as at be because been being but by can can't cannot could couldn't "
        "did didn't do does doesn't doing don't done etc for from had hadn't has hasn't have haven't having "
        "he he'd he'll her here hers herself him himself his how however i i'd i'll i'm i've if in into is "
        "isn't it its itself let's may me might mine must my myself no not of on or our ours ourselves please "
        "shall she should shouldn't so such than that the their theirs them themselves then there therefore "
        "these they they'll they're they've this those though through thus to too us was wasn't we we'll "
        "we're we've were weren't what whatever when whenever where wherever whether which who whoever whom "
        "whose why will with won't would wouldn't you you'd you'll you're you've your yours yourself "
        "yourselves",
        "de": "aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist "
        "da dabei dadurch dafür damit dann daran darauf daraus darf das dass dein deine dem den denen denn "
        "der deren des dessen die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine "
        "einem einen einer eines er es etwas euch euer für gegen gibt habe haben hat hatte hatten hier hinter "
        "ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes kann "
        "kannst kein keine keinem keinen keiner könnte können man mein meine mich mir mit muss müssen nach "
        "nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll "
        "sollen sollte sondern sowie über um und uns unser unsere unter vom von vor war waren warum was weil "
        "welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieder will wir wird "
        "wo wohin wozu wurde wurden während würde zu zum zur zwischen",
        "fr": "afin ai ainsi alors après as au aucun aucune auquel aussi autre autres aux avait avant avec avez "
        "avoir avons c ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment d dans de "
        "depuis des donc dont du elle elles en encore entre es est et était étaient être eu eux fait faut il "
        "ils j je jusque l la laquelle le lequel les lesquels leur leurs lors lorsque lui m ma mais me même "
        "mes moi mon n ne ni nos notre nous on ont ou où par parce pas pendant peut peuvent plus pour "
        "pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa sans se selon sera ses si soit "
        "son sont sous sur t ta te tes toi ton tous tout toute toutes très tu un une vers voici voilà vos "
        "votre vous y à ça",
        "es": "a al algo alguna algunas alguno algunos ante antes aquel aquella así aun aunque cada como con contra "
        "cual cuales cuando cuál cuáles cuándo cómo de del desde donde dónde durante e el ella ellas ellos en "
        "entre era eran eres es esa esas ese eso esos esta estaba están está estas este esto estos estoy fue "
        "fueron ha hace hacia han hasta hay la las le les lo los me mi mis muy más ni no nos nosotros nuestra "
        "nuestro o os otra otro otros para pero por porque pues puede pueden que quien quién quienes qué se "
        "sea según ser si sido sin sobre son su sus sí también tan tanto te tiene tienen todo todos tu tus un "
        "una unas uno unos usted ustedes y ya yo él",
        "it": "a agli ai al alla alle allo anche avere c che chi ci ciò come con contro cosa così cui d da dagli "
        "dai dal dalla dalle dei del della delle dello di dove dopo durante e ed era erano essere fra già gli "
        "ha hai hanno ho i il in io l la le lei lo loro lui ma mentre mi mia mio molto ne negli nei nel nella "
        "nelle nello no noi non nostro o ogni oppure per perché perchè però più poi prima può qual quale "
        "quali quando quanto quella quelle quelli quello questa queste questi questo qui se sei si sia siamo "
        "sono sopra sotto su sua sue sugli sui sul sulla sulle suo suoi tra tu tua tuo tutti tutto un una uno "
        "v vi voi è",
        "pt": "a ainda ao aos apenas as até cada com como da das de dela dele depois do dos e ela elas ele eles em "
        "enquanto entre era eram essa esse esta está estão este eu foi foram há isso isto já lhe mais mas me "
        "mesmo meu minha muito na nas nem no nos nossa nosso não nós o onde os ou para pela pelas pelo pelos "
        "per pode podem por porque qual quais quando que quem se seja sem ser seu seus sob sobre são sua suas "
        "só também te tem tinha todo todos tu tudo têm um uma umas uns você vocês à às é",
        "nl": "aan al alle als alleen altijd andere ben bij daar dan dat de deze die dit doen door dus een eens en "
        "er geen had hadden hebben heb heeft hem het hier hij hoe hun ik in is je jij jouw jullie kan kon "
        "kunnen maar me meer men met mij mijn moet moeten na naar naast niet nog nu of om omdat onder ons "
        "onze ook op over per reeds sinds te tegen tijdens toch toen tot tussen u uit uw van vanaf veel voor "
        "waar waarom wanneer want waren was wat we welk welke werd werden wie wij wil worden wordt zal ze "
        "zich zij zijn zo zonder zou zouden",
        "sv": "alla allt att av bara de dem den denna deras dess dessa det detta dig din dina ditt du där då efter "
        "eller en er era ett från för före ha hade han hans har hon honom hos hur här i icke ingen inom inte "
        "är jag ju kan kunde man med mellan men mig min mina mitt mot mycket ni nu när någon något några och "
        "om oss på samma sedan sig sin sina sitt ska skall skulle som så till under upp ut utan vad var vara "
        "varför varit varje vars vem vi vid vilka vilken vilket vår våra över",
        "da": "af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du "
        "efter eller en end er et for fra før ham han hans har havde hende hendes her hos hun hvad hver "
        "hvilke hvilken hvis hvor hvordan hvorfor hvornår i ikke ind ingen jeg jer kan kunne man mange med "
        "meget mellem men mens mig min mod må ned noget nogle nu når og også om op os over på sig sin skal "
        "skulle som så til ud uden under var ved vi vil ville vores være været",
        "no": "alle at av bare ble bli blir da de den denne der deres det dette dere deg din disse du eller en enn "
        "er et etter for fra før ha hadde han hans har henne her hos hun hva hver hvem hvilke hvilken hvis "
        "hvor hvordan hvorfor i ikke ingen inn jeg kan kunne man mange med meg mellom men mens min mot må noe "
        "noen nå når og også om opp oss over på seg selv sin skal skulle som så til ut uten var ved vi vil "
        "ville vår være vært",
        "fi": "ei eivät ennen että he hän häntä ilman itse ja jo joka jos joten jotka joita kanssa kaikki koska "
        "kuin kuinka kuka kun me mihin mikä miksi milloin minkä minä missä miten mitkä mitä mukaan mutta myös "
        "ne niiden niin nyt näiden nämä olen oli olivat olla on ovat paitsi se sekä sen siellä sinä sitä siis "
        "tai te tuo tämä tämän tässä tätä vain vaikka voi voidaan vielä",
        "tr": "acaba ama ancak bana bazı belki ben beni benim bile bir biri biz bize bizim bu buna bunda bunlar "
        "bunu bunun çok çünkü da daha de değil diye en fakat gibi göre hangi hem hep hepsi her hiç için ile "
        "ise kadar kendi ki kim kimin mı mi mu mü nasıl ne neden nerede niçin niye o olan olarak oldu olduğu "
        "olduğunu onlar onu onun sadece sen siz sonra şu ve veya var ya yani yok zaten",
        "ru": "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да для до его ее "
        "её если есть еще ещё же за здесь и из или им их к как какая какие какой какую ко когда которая "
        "которое которые который ли между меня мне можно мы на над надо нам нас не него нее нет ни них но ну "
        "о об однако он она они оно от по под после при про с свой себя со так также там тем то того тоже той "
        "только том тот ты у уже чего чем что чтобы эта эти это этого этой этом этот я зачем куда почему "
        "сколько чей",
        "el": "αλλα αν αντι απο αυτα αυτη αυτο αυτοι αυτος αυτου αυτων για γιατι δε δεν εγω εδω ειμαι ειναι εκει "
        "εκεινο ενα εναν ενας εσυ ετσι εχει εχουν η ηταν θα ισως και κατα κι μα μας με μεσα μετα μεχρι μη μην "
        "μια μου να ο οι οπου οπως οποιος οταν οτι ουτε παρα πιο ποια ποιο ποιος ποτε που πριν προς πρεπει "
        "πως σαν σας σε στα στη στην στις στο στον στους στων συ τα τη την της τι τις το τοις τον τοτε του "
        "τους των ως",
        "ar": "في من على إلى الى عن أن ان إن هذا هذه ذلك تلك التي الذي الذين ما ماذا متى أين اين كيف لماذا هل هو هي "
        "هم نحن انا أنا أنت لا لم لن قد كان كانت يكون تكون مع بين بعد قبل كل أو او ثم حتى إذا اذا لكن عند منذ "
        "و",
        "hi": "का की के को में से है हैं और यह वह ये वे इस उस इन उन पर ने एक भी तो ही कि जो नहीं था थी थे हो होता "
        "होती होते कर करने किया लिए साथ क्या क्यों कैसे कब कहाँ कौन या अगर तक बाद द्वारा",
    }.items()
}

_BY_LETTER = (
    ("\u0370", "\u03ff", "el"),
    ("\u0400", "\u052f", "ru"),
    ("\u0600", "\u06ff", "ar"),
    ("\u0900", "\u097f", "hi"),
    ("\u1f00", "\u1fff", "el"),
)
_TOLD_BY_LETTERS = frozenset(language for _, _, language in _BY_LETTER)
_SAMPLE = 600
_SHARE = 5  # one word in so many, at least, is a function word in a text that is told by them


@lru_cache(maxsize=1)
def _voters() -> dict[str, tuple[str, ...]]:
    voters: dict[str, list[str]] = {}
    for language, words in FUNCTION_WORDS.items():
        if language not in _TOLD_BY_LETTERS:
            for word in words:
                if len(word) > 1:
                    voters.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in voters.items()}


@lru_cache(maxsize=4096)
def language_of_letter(char: str) -> str | None:
    """The language that a letter stands for; None for Latin letters, and for scripts without stems."""
    if char < "\u0370":
        return None
    return next((language for low, high, language in _BY_LETTER if low <= char <= high), None)


def guess_language(words: Iterable[str], fewest: int) -> str:
    """The language of a text in Latin letters, by its function words.

    Args:
        words: its words in order, in any case; only the first few hundred count.
        fewest: distinct function words that it takes to call it anything but English.

    Returns:
        A language of ``FUNCTION_WORDS``: English unless one word in five is a function word of another one, and that
        one has half as many again as English, distinct ones and all of them.
    """
    voters = _voters()
    sample = list(map(str.lower, islice(words, _SAMPLE)))
    heard = Counter(filter(voters.__contains__, sample))
    votes: Counter[str] = Counter()
    distinct: Counter[str] = Counter()
    for word, count in heard.items():
        for language in voters[word]:
            votes[language] += count
            distinct[language] += 1
    best = max(votes, key=lambda one: (votes[one], distinct[one], one), default=ENGLISH)
    told = distinct[best] >= fewest and votes[best] * _SHARE >= len(sample)
    ahead = 2 * votes[best] > 3 * votes[ENGLISH] and 2 * distinct[best] > 3 * distinct[ENGLISH]
    return best if told and ahead else ENGLISH
