"""METEOR's alignment of an output with a reference: as many matches as possible, in as few chunks. To be compiled."""

from __future__ import annotations

import numpy as np

__all__ = ["HELPERS", "count", "points"]

# Steps of the search for the alignment with the fewest chunks, after which the best one found is taken.
STEPS = 50_000

# Columns of the memory, which holds these numbers for each word or stem; `alignment` says what they are.
OVER, SPARE, STEMMED, LEFT_A, LEFT_B, ROW, COLUMN, HEAD = range(8)


def points(matches, chunks, sys_len, ref_len):
    """100 x 10PR/(R + 9P) x (1 - .5 (chunks/matches)^3); runs on arrays, and compiled on numbers."""
    mean = 10 * matches / np.maximum(sys_len + 9 * ref_len, 1)
    return 100 * mean * (1 - 0.5 * (chunks / np.maximum(matches, 1)) ** 3)


def count(ids, begins, counts, n_refs, stems, synsets, ends, stats):
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


def alignment(a, b, stems, synsets, ends, memory):
    """Matches and chunks of two texts.

    How many words match, and by what, does not depend on which of them do. By word: those that are too many in `a`
    (`over`) or in `b` (`spare`) to match as they are. By stem: the matches among these (`stemmed`), words left in `a`
    and `b`, and the number of the stem among those left in each, counted from 1 (`row`, `column`).
    """
    over, spare, stemmed, left_a, left_b, row, column, _ = memory.T
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
    related = synonyms(a, b, stems, synsets, ends, memory)
    in_a, in_b = amounts(a, stems, left_a, row, related.shape[0]), amounts(b, stems, left_b, column, related.shape[1])
    matches += most_pairs(related, in_a, in_b)
    joints = most_joints(a, b, stems, memory, related, in_a, in_b) if matches > 1 else 0
    for words in (a, b):
        for word in words:
            memory[word] = memory[stems[word]] = 0
    return matches, matches - joints


def synonyms(a, b, stems, synsets, ends, memory):
    """Which stems left in `a` (rows) and in `b` (columns) are those of words left that share a synset."""
    over, spare, _, left_a, left_b, row, column, _ = memory.T
    if len(synsets) == 0:
        return np.zeros((0, 0), np.bool_)
    related = np.zeros((number(a, stems, left_a, row), number(b, stems, left_b, column)), np.bool_)
    for word in a:
        if over[word] > 0 and row[stems[word]] > 0:
            for other in b:
                if spare[other] > 0 and column[stems[other]] > 0 and share(
                        synsets[ends[word]:ends[word + 1]], synsets[ends[other]:ends[other + 1]]):
                    related[row[stems[word]] - 1, column[stems[other]] - 1] = True
    return related


def number(words, stems, left, numbers):
    """Number the stems of which something is left, from 1; how many there are."""
    n = 0
    for word in words:
        if left[stems[word]] > 0 and numbers[stems[word]] == 0:
            n += 1
            numbers[stems[word]] = n
    return n


def amounts(words, stems, left, numbers, n):
    """How many words are left of each stem that has a number."""
    found = np.zeros(n, np.int64)
    for word in words:
        if numbers[stems[word]] > 0:
            found[numbers[stems[word]] - 1] = left[stems[word]]
    return found


def share(some, others):
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


def most_pairs(related, in_a, in_b):
    """How many related words can be paired, each once: the largest flow, path by path (Ford and Fulkerson 1956)."""
    flow = np.zeros(related.shape, np.int64)
    free = in_b.copy()
    pairs = 0
    for start in range(len(in_a)):
        for _ in range(in_a[start]):
            end, from_row, from_column = free_column(related, flow, free, start)
            if end < 0:
                break
            pairs += 1
            free[end] -= 1
            x, y = from_row[end], end
            flow[x, y] += 1
            while x != start:  # each row on the way gives up the column it was reached by for the next
                y = from_column[x]
                flow[x, y] -= 1
                x = from_row[y]
                flow[x, y] += 1
    return pairs


def free_column(related, flow, free, start):
    """The first free column that a row can reach by giving up pairs, -1 if none; from where each was reached."""
    n, m = related.shape
    from_row, from_column = np.full(m, -1, np.int64), np.full(n, -1, np.int64)
    queue = np.empty(n, np.int64)
    queue[0], first, last = start, 0, 1
    while first < last:
        x = queue[first]
        first += 1
        for y in range(m):
            if related[x, y] and from_row[y] < 0:
                from_row[y] = x
                if free[y] > 0:
                    return y, from_row, from_column
                for z in range(n):
                    if flow[z, y] > 0 and from_column[z] < 0 and z != start:
                        from_column[z] = y
                        queue[last] = z
                        last += 1
    return -1, from_row, from_column


def may_match(x, y, stems, memory, related, in_a, in_b):
    """Whether a word of `a` may match another of `b`, as things stand, and leave as many matches as possible."""
    if memory[x, OVER] == 0 or memory[y, SPARE] == 0:
        return False
    if stems[x] == stems[y]:
        return memory[stems[x], STEMMED] > 0
    r, c = memory[stems[x], ROW] - 1, memory[stems[y], COLUMN] - 1
    if r < 0 or c < 0 or not related[r, c] or in_a[r] == 0 or in_b[c] == 0:
        return False
    before = most_pairs(related, in_a, in_b)
    in_a[r] -= 1
    in_b[c] -= 1
    after = most_pairs(related, in_a, in_b)
    in_a[r] += 1
    in_b[c] += 1
    return after == before - 1


def take(x, y, stems, memory, in_a, in_b, change):
    """Count a match of two different words as made (-1) or as taken back (1)."""
    memory[x, OVER] += change
    memory[y, SPARE] += change
    if stems[x] == stems[y]:
        memory[stems[x], STEMMED] += change
    else:
        in_a[memory[stems[x], ROW] - 1] += change
        in_b[memory[stems[y], COLUMN] - 1] += change


def candidates(a, b, stems, memory, related, in_a, in_b):
    """The words of `b` that each word of `a` may match, in order: to[first[i]:first[i + 1]]."""
    over, spare, row, head = memory[:, OVER], memory[:, SPARE], memory[:, ROW], memory[:, HEAD]
    following = np.empty(len(b), np.int64)  # the next word of the same stem; `head` is the first, counted from 1
    for j in range(len(b) - 1, -1, -1):
        following[j], head[stems[b[j]]] = head[stems[b[j]]] - 1, j + 1
    first = np.zeros(len(a) + 2, np.int64)
    to = np.empty(0, np.int64)
    for fill in range(2):
        size = 0
        for i in range(len(a)):
            first[i] = size
            meant = len(related) > 0 and over[a[i]] > 0 and row[stems[a[i]]] > 0
            j = 0 if meant else head[stems[a[i]]] - 1
            while 0 <= j < len(b):
                if a[i] == b[j] or (over[a[i]] > 0 and spare[b[j]] > 0 and may_match(
                        a[i], b[j], stems, memory, related, in_a, in_b)):
                    if fill:
                        to[size] = j
                    size += 1
                j = j + 1 if meant else following[j]
        first[len(a):] = size
        if not fill:
            to = np.empty(size, np.int64)
    return first, to


def most_joints(a, b, stems, memory, related, in_a, in_b):
    """The most joints that an alignment can have: two words of `a` in a row that match two of `b` in a row.

    Only matches with a joint have to be chosen, word by word of `a`: whatever they are, the other words can still be
    matched as many times as they should. A branch of the search is left where even an alignment that may use words of
    `b` twice is no better than the best one found.
    """
    n = len(a)
    first, to = candidates(a, b, stems, memory, related, in_a, in_b)
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
    best, steps, i = np.int64(-1), 0, 0
    while i >= 0 and best < free[0] and (steps < STEPS or best < 0):
        steps += 1
        if i == n:
            best = max(best, joints[n])
        goes_on = onward[choice[i - 1]] if i > 0 and choice[i - 1] >= 0 else -1
        begun = i > 0 and choice[i - 1] >= 0 and joints[i] == joints[i - 1]  # a match that needs a joint to follow
        found = False
        while i < n and not found and tried[i] <= first[i + 1] - first[i]:
            tried[i] += 1
            p, gain = np.int64(-1), 0
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
                    a[i], b[to[p]], stems, memory, related, in_a, in_b))
            if found:
                choice[i], joints[i + 1] = p, joints[i] + gain
        if not found:
            tried[i] = -1
            i -= 1
        if i >= 0 and choice[i] >= 0:  # take this match, or take it back
            used[to[choice[i]]] = found
            if a[i] != b[to[choice[i]]]:
                take(a[i], b[to[choice[i]]], stems, memory, in_a, in_b, -1 if found else 1)
        if found:
            i += 1
    return best


#: What `count` calls, callees last.
HELPERS = (alignment, points, most_joints, candidates, may_match, take, most_pairs, free_column, synonyms, amounts,
           number, share)
