"""Made-up texts, counts and metrics for the tests."""

import copy
import io
import random
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from mtsig_core import TestSet, compare
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.readers.limits import limit_reading, upload_limits
from mtsig_core.readers.task_contents import contents_of
from mtsig_core.results import MetricResult, PairResult
from mtsig_core.source import Source
from mtsig_core.stats.resampling import swap_bits, unpack_bits

#: Twelve segments in each of the languages that have no spaces between words as tokenizers know
#: them.
SPACELESS = {
    "zh": [
        "今天的天气非常好，我们去公园散步。",
        "GPT-4 和 Claude 的价格是 20 美元。",
        "他昨天在北京买了一本新书。",
    ]
    * 4,
    "ja": [
        "今日はとても天気がいいので、公園を散歩します。",
        "彼は昨日、東京で新しい本を買いました。",
        "カタカナのテスト。",
    ]
    * 4,
    "ko": [
        "오늘은 날씨가 아주 좋아서 공원에 산책하러 갑니다.",
        "그는 어제 서울에서 새 책을 샀습니다.",
    ]
    * 6,
    "th": ["วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะ", "เมื่อวานเขาซื้อหนังสือเล่มใหม่ที่กรุงเทพ"] * 6,
    "km": ["ថ្ងៃនេះអាកាសធាតុល្អណាស់", "ម្សិលមិញគាត់បានទិញសៀវភៅថ្មីនៅភ្នំពេញ"] * 6,
    "lo": ["ມື້ນີ້ອາກາດດີຫຼາຍ", "ມື້ວານນີ້ລາວຊື້ປຶ້ມໃໝ່ຢູ່ວຽງຈັນ"] * 6,
    "my": ["ဒီနေ့ ရာသီဥတု အရမ်းကောင်းတယ်။", "မနေ့က သူ ရန်ကုန်မှာ စာအုပ်အသစ်ဝယ်ခဲ့တယ်။"] * 6,
    "bo": ["དེ་རིང་གནམ་གཤིས་ཧ་ཅང་ཡག་པོ་འདུག", "ཁ་ས་ཁོས་ལྷ་ས་ནས་དེབ་གསར་པ་ཞིག་ཉོས་པ་རེད།"] * 6,
}


def zipped(files, method=zipfile.ZIP_DEFLATED):
    """A zip of files by name, the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return out.getvalue()


def zip_language_pairs(content, file="task.zip"):
    """The language pairs of an uploaded zip of a task."""
    return _of_upload(content, file, lambda path: list(contents_of(path).pairs))


def read_zip(content, langpair, file="task.zip"):
    """One language pair of an uploaded zip of a task."""
    return _of_upload(
        content,
        file,
        lambda path: Source(folder=str(path), langpair=langpair, below=str(path.parent)).read(),
    )


def _of_upload(content, file, work):
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder).resolve() / file).write_bytes(content)
        with limit_reading(upload_limits(), below=path.parent):
            return work(path)


def bleu(sums):
    """Points of summed BLEU counts."""
    return Bleu().score(sums)


def mean(sums):
    """Mean of segment scores; the statistics are the score and 1."""
    sums = np.asarray(sums, dtype=np.float64)
    return sums[..., 0] / np.maximum(sums[..., 1], 1)


def bleu_counts(seed, qualities, n_segments, document_length=6):
    """BLEU counts of systems near 30 points, shape (systems, segments, 10), and the document of
    each segment.

    Segments and documents are hard or easy for all systems, and suit one system better than
    another.
    """
    rng = np.random.default_rng(seed)
    n_systems = len(qualities)
    documents = np.arange(n_segments) // document_length

    def effect(for_all, for_one, n):
        return rng.normal(0, for_all, n) + rng.normal(0, for_one, (n_systems, n))

    ease = np.reshape(qualities, (-1, 1)) + effect(0.5, 0.4, n_segments)
    ease += effect(0.3, 0.25, documents[-1] + 1)[:, documents]
    reference = np.maximum(4, rng.lognormal(2.9, 0.5, n_segments)).astype(int)
    length = np.maximum(
        4, np.rint(reference * rng.normal(1, 0.08, (n_systems, n_segments)))
    ).astype(int)
    totals = [length - order for order in range(4)]
    correct = [length]
    for total, share in zip(totals, (0.58, 0.54, 0.62, 0.66), strict=True):
        odds = share / (1 - share) * np.exp(ease)
        correct.append(rng.binomial(np.minimum(correct[-1], total), odds / (1 + odds)))
    lengths = [length, np.broadcast_to(reference, length.shape)]
    return np.stack([*lengths, *correct[1:], *totals], axis=-1).astype(np.int32), documents


def segment_scores(seed, means, n_segments):
    """Statistics of the metric `mean`: scores such as people give, 0 to 100, and 1."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 12, n_segments) + rng.normal(
        np.reshape(means, (-1, 1)), 8, (len(means), n_segments)
    )
    return np.stack([np.clip(scores, 0, 100), np.ones_like(scores)], axis=-1)


def texts(seed, errors, n_segments):
    """A reference, and for each share of errors an output that has so many of its words wrong."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{k}" for k in range(300)])
    lengths = rng.integers(3, 25, n_segments)
    reference = [rng.choice(words[:100], n) for n in lengths]
    systems = [
        [
            " ".join(np.where(rng.random(len(r)) < share, rng.choice(words, len(r)), r))
            for r in reference
        ]
        for share in errors
    ]
    return [" ".join(r) for r in reference], systems


@dataclass(frozen=True)
class Given:
    """A metric whose statistics are given by system: {name: (segments, stats)}."""

    rows: dict
    rule: Callable
    higher_is_better: bool = True
    name: str = "given"

    @property
    def stat_names(self):
        return tuple(f"stat_{k}" for k in range(next(iter(self.rows.values())).shape[1]))

    def statistics(self, testset, progress=None):
        if progress is not None:
            progress("counting", 1.0)
        return np.array([self.rows[name] for name in testset.systems])

    def score(self, sums):
        return self.rule(sums)

    def signature(self, testset):
        return "given"


def spell(number):
    """A text of each number: segments with the same reference would be copies."""
    return " ".join(random.Random(number).choices("abcdefghij", k=8))


def toy(n_systems, n_segments, documents=None, same=()):
    """A test set of systems A, B, ... with outputs that nobody looks at; those named in `same` say
    the same.
    """
    outputs = {}
    for number in range(n_systems):
        name = chr(ord("A") + number)
        first = 1_000_000 if name in same else 2_000_000 + 10_000 * number
        outputs[name] = [f"{spell(k)} {spell(first + k)}" for k in range(n_segments)]
    return TestSet(
        "toy",
        outputs,
        {"ref": [spell(k) for k in range(n_segments)]},
        documents=None if documents is None else [str(d) for d in documents],
    )


def with_statistics(metric, statistics):
    """The metric with these statistics of systems A, B, ..., shape (systems, segments, stats)."""

    class Counted(type(metric)):
        __slots__ = ()

        def statistics(self, testset, progress=None):
            rows = [ord(name) - ord("A") for name in testset.systems]
            columns = [line - 1 for line in testset.lines]
            return statistics[np.ix_(rows, columns)]

    counted = copy.copy(metric)
    object.__setattr__(counted, "__class__", Counted)
    return counted


def compare_given(statistics, rule=bleu, documents=None, higher_is_better=True, **settings):
    """`compare` on given statistics; the result of the metric."""
    testset = toy(*statistics.shape[:2], documents)
    metric = Given(dict(zip(testset.systems, statistics, strict=True)), rule, higher_is_better)
    return compare(testset, [metric], **settings).metrics["given"]


_WORDS = (
    "der die das Haus Hund Katze Fluss Brücke Markt Straße alt klein still findet "
    "sieht über unter und"
).split()


def pair_result(a, b, delta, better=None, p=0.5, **numbers):
    """A `PairResult` with these numbers, of 200 segments that are units."""
    usual = dict.fromkeys(field.name for field in fields(PairResult)) | dict(
        p_value=p,
        p_adjusted=p,
        significant=better is not None,
        better=better,
        n=200,
        n_units=200,
        n_effective=200.0,
        decidable=True,
    )
    return PairResult(**usual | dict(a=a, b=b, delta=delta) | numbers)


def metric_result(systems, pairs, metric="bleu", higher_is_better=True, **more):
    """A `MetricResult` of these rows."""
    usual = dict(
        metric=metric,
        signature="signature",
        higher_is_better=higher_is_better,
        systems=tuple(systems),
        pairs=tuple(pairs),
        by_reference=(),
        tokenizer=None,
        ci="percentile",
        n_units=200,
        n_effective=200.0,
        trials=999,
        exact=False,
    )
    return MetricResult(**usual | more)


def task_files(lines=40):
    """The files of a shared task by name: three language pairs, three systems. en-cs and en-de have
    ratings, en-de also a second reference, and beside them are files that no reader takes.
    """
    files = {
        "mytask/README.md": "read me",
        "mytask/notes.tsv": "a\tb\n1\t2\n",
        "mytask/en-fr.esa.tsv": "system\tline\tscore\nAlpha\t1\t2\n",
        "mytask/references/en-cs.refA.txt.bak~": "an old one",
    }

    def spoiled(texts, share):
        return [
            " ".join(
                draw.choice(_WORDS) if draw.random() < share else word for word in text.split()
            )
            for text in texts
        ]

    for pair in ("en-cs", "en-de", "en-uk"):
        draw = random.Random(pair)
        ref = [" ".join(draw.choices(_WORDS, k=draw.randint(6, 14))) for _ in range(lines)]
        texts = {
            f"references/{pair}.refA.txt": ref,
            f"documents/{pair}.docs": [f"news\td{k // 4}" for k in range(lines)],
        }
        ratings = []
        for name, share in (("Alpha", 0.1), ("Beta", 0.25), ("Gamma", 0.5)):
            texts[f"system-outputs/{pair}/{name}.txt"] = spoiled(ref, share)
            ratings += [
                (name, k + 1, round(90 - 60 * share + draw.gauss(0, 4), 1)) for k in range(lines)
            ]
        if pair == "en-de":
            texts["references/en-de.refB.txt"] = spoiled(ref, 0.1)
            texts["scores/en-de.esa.seg.score"] = [f"{name}\t{score}" for name, _, score in ratings]
        if pair == "en-cs":
            ratings += [("refA", k + 1, round(95 + draw.gauss(0, 1), 1)) for k in range(lines)]
            texts["en-cs.esa.tsv"] = [
                "system\tline\tscore",
                *("\t".join(map(str, row)) for row in ratings),
            ]
        files |= {
            f"mytask/{name}": "".join(f"{text}\n" for text in of) for name, of in texts.items()
        }
    return files


def mean_ratings(files, pair):
    """The mean rating of each system, by the file itself."""
    rows = [
        line.split("\t")
        for line in files[
            "mytask/" + {"en-cs": "en-cs.esa.tsv", "en-de": "scores/en-de.esa.seg.score"}[pair]
        ].splitlines()
    ]
    found = {}
    for row in rows[pair == "en-cs" :]:
        found.setdefault(row[0], []).append(float(row[-1]))
    return {name: sum(scores) / len(scores) for name, scores in found.items()}


def draw_swaps(units, seed, block):
    """Which units are swapped in each replicate of a block: 1 where swapped, shape (BLOCK,
    units).
    """
    return unpack_bits(swap_bits(units, seed, block), units.n)
