"""METEOR's alignment of an output with a reference: as many matches as possible, in as few chunks. To be compiled."""

from __future__ import annotations

import numpy as np

from mtsig_core.metrics._texts import Numbers

# Steps of the search for the alignment with the fewest chunks, after which the best one found is taken.
STEPS = 50_000

# Columns of the memory, which holds these numbers for each word or stem; `alignment` and `network` say what they are.
OVER, SPARE, STEMMED, LEFT_A, LEFT_B, WORD_A, WORD_B, STEM_A, STEM_B, HEAD = range(10)
# Nodes of the network of synonyms.
SOURCE, SINK = range(2)


def points(matches: Numbers, chunks: Numbers, sys_len: Numbers, ref_len: Numbers) -> Numbers:
    """100 x 10PR/(R + 9P) x (1 - .5 (chunks/matches)^3); runs on arrays, and compiled on numbers."""
    mean = 10 * matches / np.maximum(sys_len + 9 * ref_len, 1)
    return 100 * mean * (1 - 0.5 * (chunks / np.maximum(matches, 1)) ** 3)


def count(ids: np.ndarray, begins: np.ndarray, counts: np.ndarray, n_refs: int, stems: np.ndarray, synsets: np.ndarray,
          ends: np.ndarray, stats: np.ndarray) -> None:
    """Fill the statistics of a block, shape (systems, segments, 4).

    The references come first in `ids`, `begins` and `counts`; `stems` is the number of the stem of each word, and its
    synsets, in ascending order, are ``synsets[ends[word]:ends[word + 1]]``.
    """
    memory = np.zeros((stems.size, HEAD + 1), np.int64)
    for seg in range(counts.shape[1]):
        for s in range(len(stats)):
            row = stats[s, seg]
            output = ids[begins[n_refs + s, seg]:][:counts[n_refs + s, seg]]
            best = -1.0
            for r in range(n_refs):
                length = counts[r, seg]
                if length >= 0:
                    reference = ids[begins[r, seg]:][:length]
                    matches, chunks = alignment(output, reference, stems, synsets, ends, memory)
                    score = points(matches, chunks, len(output), length)
                    if score > best or (score == best and length < row[3]):
                        best = score
                        row[0], row[1], row[2], row[3] = matches, chunks, len(output), length


def alignment(a: np.ndarray, b: np.ndarray, stems: np.ndarray, synsets: np.ndarray, ends: np.ndarray,
              memory: np.ndarray) -> tuple[int, int]:
    """Matches and chunks of two texts.

    How many words match, and by what, does not depend on which of them do. By word: those that are too many in `a`
    (`over`) or in `b` (`spare`) to match as they are. By stem: the matches among these (`stemmed`), and words left in
    `a` and `b`, which may match by a synonym.
    """
    over, spare, stemmed = memory[:, OVER], memory[:, SPARE], memory[:, STEMMED]
    left_a, left_b = memory[:, LEFT_A], memory[:, LEFT_B]
    matches = 0
    for word in a:
        over[word] += 1
        left_a[stems[word]] += 1
    for word in b:
        if over[word] > 0:
            over[word] -= 1
            left_a[stems[word]] -= 1
            matches += 1
        else:
            spare[word] += 1
            left_b[stems[word]] += 1
    for word in a:
        stem = stems[word]
        more = min(left_a[stem], left_b[stem])
        if more > 0:
            stemmed[stem] = more
            left_a[stem] -= more
            left_b[stem] -= more
            matches += more
    room = network(a, b, stems, synsets, ends, memory)
    matches += largest_flow(room)
    joints = most_joints(a, b, stems, memory, room) if matches > 1 else 0
    for words in (a, b):
        for word in words:
            memory[word] = memory[stems[word]] = 0
    return matches, matches - joints


def network(a: np.ndarray, b: np.ndarray, stems: np.ndarray, synsets: np.ndarray, ends: np.ndarray,
            memory: np.ndarray) -> np.ndarray:
    """How many matches by synonyms fit between nodes: source - stem - word of `a` - word of `b` - stem - sink.

    As many of a stem as are left after matches by stems, and of a word as it is too many. Empty without synonyms; else
    `memory` has the number of each word's and stem's node, 0 for none.
    """
    pairs = np.empty((0 if len(synsets) == 0 else len(a) * len(b), 2), np.int64)
    n_pairs, n_nodes = 0, 2
    if len(pairs) > 0:
        for x in a:
            if memory[x, OVER] > 0 and memory[stems[x], LEFT_A] > 0 and ends[x] < ends[x + 1]:
                for y in b:
                    if memory[y, SPARE] > 0 and memory[stems[y], LEFT_B] > 0 and share(
                            synsets[ends[x]:ends[x + 1]], synsets[ends[y]:ends[y + 1]]):
                        pairs[n_pairs] = x, y
                        n_pairs += 1
                        for key, column in ((x, WORD_A), (stems[x], STEM_A), (y, WORD_B), (stems[y], STEM_B)):
                            if memory[key, column] == 0:
                                memory[key, column] = n_nodes
                                n_nodes += 1
    if n_pairs == 0:
        return np.zeros((0, 0), np.int64)
    room = np.zeros((n_nodes, n_nodes), np.int64)
    for x, y in pairs[:n_pairs]:
        room[SOURCE, memory[stems[x], STEM_A]] = memory[stems[x], LEFT_A]
        room[memory[stems[x], STEM_A], memory[x, WORD_A]] = memory[x, OVER]
        room[memory[x, WORD_A], memory[y, WORD_B]] = len(a)
        room[memory[y, WORD_B], memory[stems[y], STEM_B]] = memory[y, SPARE]
        room[memory[stems[y], STEM_B], SINK] = memory[stems[y], LEFT_B]
    return room


def share(some: np.ndarray, others: np.ndarray) -> bool:
    """Whether two ascending lists have a number in common."""
    i = j = 0
    while i < len(some) and j < len(others):
        if some[i] == others[j]:
            return True
        if some[i] < others[j]:
            i += 1
        else:
            j += 1
    return False


def largest_flow(room: np.ndarray) -> int:
    """How many matches fit through a network at once, by one shortest path more at a time (Edmonds and Karp 1972)."""
    n, flow = len(room), 0
    if n == 0:
        return flow
    room = room.copy()
    before, queue = np.empty(n, np.int64), np.empty(n, np.int64)
    while True:
        before[:] = -1
        queue[0], first, last = SOURCE, 0, 1
        while first < last and before[SINK] < 0:
            node = queue[first]
            first += 1
            for other in range(1, n):
                if room[node, other] > 0 and before[other] < 0:
                    before[other] = node
                    queue[last] = other
                    last += 1
        if before[SINK] < 0:
            return flow
        flow += 1
        node = SINK
        while node != SOURCE:
            room[before[node], node] -= 1
            room[node, before[node]] += 1
            node = before[node]


def may_match(x: int, y: int, stems: np.ndarray, memory: np.ndarray, room: np.ndarray) -> bool:
    """Whether a word of `a` may match another of `b`, as things stand, and leave as many matches as possible."""
    if memory[x, OVER] == 0 or memory[y, SPARE] == 0:
        return False
    by_stem = stems[x] == stems[y]
    if by_stem:
        if memory[stems[x], STEMMED] == 0:
            return False
        if len(room) == 0 or (memory[x, WORD_A] == 0 and memory[y, WORD_B] == 0):
            return True
    elif len(room) == 0 or memory[x, WORD_A] == 0 or memory[y, WORD_B] == 0 or (
            room[memory[x, WORD_A], memory[y, WORD_B]] == 0 or room[SOURCE, memory[stems[x], STEM_A]] == 0
            or room[memory[stems[y], STEM_B], SINK] == 0):
        return False
    most = largest_flow(room)
    take(x, y, stems, memory, room, -1)
    rest = largest_flow(room)
    take(x, y, stems, memory, room, 1)
    return rest == most - (0 if by_stem else 1)


def take(x: int, y: int, stems: np.ndarray, memory: np.ndarray, room: np.ndarray, change: int) -> None:
    """Count a match of two different words as made (-1) or as taken back (1)."""
    memory[x, OVER] += change
    memory[y, SPARE] += change
    if memory[x, WORD_A] > 0:
        room[memory[stems[x], STEM_A], memory[x, WORD_A]] += change
    if memory[y, WORD_B] > 0:
        room[memory[y, WORD_B], memory[stems[y], STEM_B]] += change
    if stems[x] == stems[y]:
        memory[stems[x], STEMMED] += change
    else:
        room[SOURCE, memory[stems[x], STEM_A]] += change
        room[memory[stems[y], STEM_B], SINK] += change


def candidates(a: np.ndarray, b: np.ndarray, stems: np.ndarray, memory: np.ndarray,
               room: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The words of `b` that each word of `a` may match, in order: to[first[i]:first[i + 1]]."""
    over, spare, head = memory[:, OVER], memory[:, SPARE], memory[:, HEAD]
    following = np.empty(len(b), np.int64)  # the next word of the same stem; `head` is the first, counted from 1
    for j in range(len(b) - 1, -1, -1):
        following[j], head[stems[b[j]]] = head[stems[b[j]]] - 1, j + 1
    first = np.zeros(len(a) + 2, np.int64)
    to = np.empty(0, np.int64)
    for fill in range(2):
        size = 0
        for i in range(len(a)):
            first[i] = size
            meant = over[a[i]] > 0 and memory[a[i], WORD_A] > 0
            j = 0 if meant else head[stems[a[i]]] - 1
            while 0 <= j < len(b):
                if a[i] == b[j] or (over[a[i]] > 0 and spare[b[j]] > 0 and may_match(
                        a[i], b[j], stems, memory, room)):
                    if fill:
                        to[size] = j
                    size += 1
                j = j + 1 if meant else following[j]
        first[len(a):] = size
        if not fill:
            to = np.empty(size, np.int64)
    return first, to


def most_joints(a: np.ndarray, b: np.ndarray, stems: np.ndarray, memory: np.ndarray, room: np.ndarray) -> int:
    """The most joints that an alignment can have: two words of `a` in a row that match two of `b` in a row.

    Only matches with a joint have to be chosen, word by word of `a`: whatever they are, the other words can still be
    matched as many times as they should. A branch of the search is left where even an alignment that may use words of
    `b` twice is no better than the best one found.
    """
    n = len(a)
    first, to = candidates(a, b, stems, memory, room)
    onward = np.full(len(to), -1, np.int64)  # the match of the next two words, -1 if they do not match
    after = np.zeros(len(to), np.int64)  # bound of the joints after word i if it has this match ...
    free = np.zeros(n + 1, np.int64)  # ... and from word i on if the word before has none
    for i in range(n - 1, -1, -1):
        free[i] = free[i + 1]
        q = first[i + 1]
        for p in range(first[i], first[i + 1]):
            after[p] = free[i + 1]
            while q < first[i + 2] and to[q] <= to[p]:
                q += 1
            if q < first[i + 2] and to[q] == to[p] + 1:
                onward[p] = q
                after[p] = max(after[p], 1 + after[q])
                free[i] = max(free[i], 1 + after[q])

    used = np.zeros(len(b), np.bool_)
    choice = np.full(n + 1, -1, np.int64)  # the match of each word, -1 for none
    tried = np.full(n + 1, -1, np.int64)  # -1: nothing yet; then to go on; to begin at each match; to match nothing
    joints = np.zeros(n + 1, np.int64)  # up to each word
    best, steps, i = -1, 0, 0
    while i >= 0 and best < free[0] and (steps < STEPS or best < 0):
        steps += 1
        if i == n:
            best = max(best, joints[n])
        goes_on = onward[choice[i - 1]] if i > 0 and choice[i - 1] >= 0 else -1
        begun = i > 0 and choice[i - 1] >= 0 and joints[i] == joints[i - 1]  # a match that needs a joint to follow
        found = False
        while i < n and not found and tried[i] <= first[i + 1] - first[i]:
            tried[i] += 1
            p, gain = -1, 0
            if tried[i] == 0:
                p, gain = goes_on, 1
                found = p >= 0 and joints[i] + 1 + after[p] > best
            elif begun:
                tried[i] = n + len(b)
            elif tried[i] <= first[i + 1] - first[i]:
                p = first[i] + tried[i] - 1
                found = onward[p] >= 0 and p != goes_on and joints[i] + 1 + after[onward[p]] > best
            else:
                found = joints[i] + free[i + 1] > best
            if found and p >= 0:
                found = not used[to[p]] and (a[i] == b[to[p]] or may_match(
                    a[i], b[to[p]], stems, memory, room))
            if found:
                choice[i], joints[i + 1] = p, joints[i] + gain
        if not found:
            tried[i] = -1
            i -= 1
        if i >= 0 and choice[i] >= 0:  # take this match, or take it back
            used[to[choice[i]]] = found
            if a[i] != b[to[choice[i]]]:
                take(a[i], b[to[choice[i]]], stems, memory, room, -1 if found else 1)
        if found:
            i += 1
    return best


#: What `count` calls, callees last.
HELPERS = (alignment, points, most_joints, candidates, may_match, take, network, largest_flow, share)
