"""The algorithms and formulas of the page Methods, typeset. All of it is fixed text: no name of a file or system."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

_C = r"p = \frac{c + 1}{%s + 1}, \quad c = \#\{%s\}"
#: By test: what `mtsig_core.stats.significance` computes.
TESTS = {
    "ar": _C % ("R", r"r : |d_r| \ge |d_0|"),
    "bootstrap": _C % ("B", r"b : |d_b - \bar d| \ge |d_0|") + r", \quad \bar d = \frac1B \sum_b d_b",
    "percentile": r"p = \min\left(1,\; 2\,\frac{\min(\#\{b : d_b \le 0\},\, \#\{b : d_b \ge 0\}) + 1}{B + 1}\right)",
    "koehn": r"\max\left(\frac{\#\{b : d_b > 0\}}{B},\, \frac{\#\{b : d_b < 0\}}{B}\right) \ge 1 - \alpha",
    "riezler-maxwell": _C % ("B", r"b : |d_b| - \tau_B \ge |d_0|") + r", \quad \tau_B = \frac1B \sum_b |d_b|",
    "t": r"t = \frac{\bar d}{s_d / \sqrt n}, \quad p = 2\, P(T_{n-1} \ge |t|)",
    "wilcoxon": r"W = \sum_{i : d_i > 0} \mathrm{rank}(|d_i|) \quad \text{over all } d_i \ne 0",
}
#: By kind: what `mtsig_core.stats.intervals` computes.
INTERVALS = {
    "percentile": r"[\,q_{\alpha/2},\; q_{1 - \alpha/2}\,]",
    "basic": r"[\,2 \theta_0 - q_{1 - \alpha/2},\; 2 \theta_0 - q_{\alpha/2}\,]",
    "bca": r"[\,q_{\beta(\alpha/2)},\; q_{\beta(1 - \alpha/2)}\,], \quad \beta(\gamma) = \Phi\left(z_0 + "
           r"\frac{z_0 + z_\gamma}{1 - a\,(z_0 + z_\gamma)}\right), \quad a = \frac{\sum_i u_i^3}"
           r"{6 \left(\sum_i u_i^2\right)^{3/2}}",
    "jackknife-t": r"\theta_0 \pm t_{n-1,\,1 - \alpha/2}\; s_J, \quad "
                   r"s_J = \sqrt{\frac{n - 1}{n} \sum_{i=1}^{n} u_i^2}",
    "t": r"\bar x \pm t_{N-1,\,1 - \alpha/2}\; \frac{s_x}{\sqrt N}",
    "simultaneous": r"d_{0k} \pm t \sqrt{\frac{n}{n - 1}}\; s_k, \quad P(T_{n-1} > t) = 1 - \Phi(Q), \quad "
                    r"Q = q_{1 - \alpha}\left(\max_k \frac{|d_{bk} - \bar d_k|}{s_k}\right)",
}
#: By correction: what `mtsig_core.stats.significance` computes.
CORRECTIONS = {
    "none": r"\tilde p_i = p_i",
    "bonferroni": r"\tilde p_i = \min(1,\; m\, p_i)",
    "holm": r"\tilde p_{(i)} = \max_{j \le i}\; \min\left(1,\; (m - j + 1)\, p_{(j)}\right)",
    "bh": r"\tilde p_{(i)} = \min_{j \ge i}\; \min\left(1,\; \frac{m}{j}\, p_{(j)}\right)",
    "by": r"\tilde p_{(i)} = \min_{j \ge i}\; \min\left(1,\; \frac{m}{j} \sum_{k=1}^{m} \frac1k\;\, p_{(j)}\right)",
    "romano-wolf": r"\tilde p_{[i]} = \max_{j \le i}\; \frac{1 + \#\{r : \max_{k \ge j} t_{r[k]} \ge t_{0[j]}\}}{R + 1}"
                   r", \quad t_{r[k]} = \frac{|d_{r[k]}|}{s_{[k]}}",
}
_RANDOMIZATION = (
    r"Set $c = 0$. Compute the actual difference $d_0 = S(X) - S(Y)$ of the corpus scores.",
    r"For $r = 1, \dots, R$:" "\n"
    r"    1. For each unit toss a coin: with probability $\tfrac12$ the outputs of $X$ and $Y$ trade places." "\n"
    r"    2. Sum the statistics anew and compute the pseudo-statistic $d_r = S(X_r) - S(Y_r)$." "\n"
    r"    3. If $|d_r| \ge |d_0|$, add 1 to $c$.",
    r"$p = \dfrac{c + 1}{R + 1}$. Reject the null hypothesis if $p \le \alpha$.")
_BOOTSTRAP = (
    r"Set $c = 0$. Compute the actual difference $d_0 = S(X) - S(Y)$ of the corpus scores.",
    r"For $b = 1, \dots, B$: draw $n$ of the $n$ units with replacement, the same for $X$ and $Y$, and compute "
    r"$d_b = S(X_b) - S(Y_b)$.",
    r"Compute the sample mean $\tau_B = \dfrac1B \sum_{b=1}^{B} |d_b|$.",
    r"For $b = 1, \dots, B$: if $|d_b| - \tau_B \ge |d_0|$, add 1 to $c$.",
    r"$p = \dfrac{c + 1}{B + 1}$. Reject the null hypothesis if $p \le \alpha$.")
_BLOCKS = (
    r"The segments $1, \dots, n$ stand on a circle: after $n$ comes 1. Let $\ell$ be the mean length of a block.",
    r"Draw a start $i$ uniformly from $1, \dots, n$.",
    r"Draw a length $L$ with $P(L = k) = \dfrac1\ell \left(1 - \dfrac1\ell\right)^{k-1}$, $k = 1, 2, \dots$",
    r"Take the segments $i, i + 1, \dots, i + L - 1$.",
    r"Repeat from step 2 until there are $n$ segments; those beyond $n$ are dropped. The sample is the same for all "
    "systems.")


def show_tests(titles: Sequence[tuple[str, str]]) -> None:
    """The formula of each test."""
    with st.expander("The formulas, typeset", key="methods.tests"):
        for name, title in titles:
            st.markdown(f"**{name}**: {title}")
            st.latex(TESTS[name])


def show_intervals() -> None:
    """The ends of each kind of interval, of a score or a difference."""
    with st.expander("The formulas of the intervals, typeset", key="methods.intervals"):
        st.markdown(r"$\theta_0$ is the score or the difference on the test set, $q_\gamma$ the quantile of its "
                    r"bootstrap values $\theta_b$, $z_\gamma$ that of the normal distribution $\Phi$; "
                    r"$u_i = \bar\theta_{(\cdot)} - \theta_{(i)}$, where $\theta_{(i)}$ leaves unit $i$ of $n$ out and "
                    r"$\bar\theta_{(\cdot)}$ is the mean of these.")
        for name, formula in INTERVALS.items():
            left, right = st.columns([1, 5], vertical_alignment="center")
            left.markdown(f"**{name}**")
            right.latex(formula)
        st.markdown(r"bca: $z_0 = \Phi^{-1}$ of the share of $\theta_b$ below $\theta_0$, ties counted half. t: of the "
                    r"mean $\bar x$ of $N$ segment scores with standard deviation $s_x$. simultaneous: $k$ runs over "
                    r"the pairs, $\bar d_k$ and $s_k$ are mean and standard deviation of the bootstrapped differences "
                    r"$d_{bk}$, $T_{n-1}$ is Student's t. From fewer than three units there is no interval: of two, a "
                    r"resample is the one, the other, or both.")


def show_corrections() -> None:
    """What the adjusted p of each correction is; a pair is significant where it is at most alpha."""
    st.markdown(r"Of $m$ pairs, $p_{(1)} \le \dots \le p_{(m)}$ are the raw p in ascending order. A pair is "
                r"significant where its adjusted $\tilde p \le \alpha$.")
    for name, formula in CORRECTIONS.items():
        left, right = st.columns([1, 4], vertical_alignment="center")
        left.markdown(f"**{name}**")
        right.latex(formula)
    st.markdown(r"Romano-Wolf: $[1], [2], \dots$ are the pairs by descending $t_{0[k]} = |d_{0[k]}| / s_{[k]}$, and "
                r"$s_{[k]}$ is the standard deviation of the pair's null. The same swap $r$ serves all pairs, so that "
                r"$\max_k t_{r[k]}$ knows how they depend on each other.")


def show_algorithms() -> None:
    """The algorithms that the papers print, and that of the blocks, with what to know of each."""
    st.subheader("Algorithms")
    left, right = st.columns(2)
    with left.container(border=True):
        st.markdown("**Approximate randomization** (test `ar`; Riezler and Maxwell 2005, Figure 1)")
        st.markdown(_numbered(_RANDOMIZATION))
    with right.container(border=True):
        st.markdown("**Bootstrap, as printed** (test `riezler-maxwell`; Riezler and Maxwell 2005, Figure 2)")
        st.markdown(_numbered(_BOOTSTRAP))
    st.caption("Their loops begin at 0 and so draw one too many for the denominators; here they begin at 1. "
               r"Figure 2 takes the absolute value before it shifts, which makes it one-sided: `bootstrap` counts "
               r"$|d_b - \bar d| \ge |d_0|$ instead (Noreen 1989).")
    with st.container(border=True):
        st.markdown("**Stationary block bootstrap** (unit `block`; Politis and Romano 1994), one sample")
        st.markdown(_numbered(_BLOCKS))
    st.caption("It keeps what neighbouring segments share where documents are unknown. For swaps the circle is cut in "
               "the same way, and one coin is tossed for each block.")


def _numbered(steps: Sequence[str]) -> str:
    return "\n".join(f"{k}. {step}" for k, step in enumerate(steps, 1))
