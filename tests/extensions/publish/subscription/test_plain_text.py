"""Fields as plain text, for windows that cannot draw them."""

import time

import pytest

from ptcards.extensions.publish.subscription.plain_text import HIGH, LOW, as_lines, readable, written


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\ce{CH3COOH <=> CH3COO- + H+}", "CH₃COOH ⇌ CH₃COO⁻ + H⁺"),
        (r"\ce{^{14}C}, \ce{SO4^2- + Ba^2+ -> BaSO4 v}", "¹⁴C, SO₄²⁻ + Ba²⁺ ⟶ BaSO₄ ↓"),
        (r"\mathrm{pH} = pK_a + \log_{10}\frac{[\ce{A-}]}{[\ce{HA}]}", "pH = pKₐ + log₁₀ [A⁻]/[HA]"),
        (r"\pu{9.81 m/s^2}", "9.81 m/s²"),
        (r"\sqrt{25}, \sqrt{x^2 + y^2}, \sqrt{x^2}, \sqrt[3]8, \sqrt[n]x", "√25, √(x² + y²), √(x²), ∛8, ⁿ√x"),
        (r"t_{1/2} = \frac{\ln 2}{\lambda} \approx \tfrac12", "t_(1/2) = (ln 2)/λ ≈ 1/2"),
        (r"\left( \frac{a+b}{2} \right)^{n+1}", "((a + b)/2)ⁿ⁺¹"),
        (r"\Delta S = -nR \sum_{i=1}^{n} x_i \ln x_i", "ΔS = −nR ∑ᵢ₌₁ⁿ xᵢ ln xᵢ"),
        (r"\vec{F}, \hat y, \overline{AB}, \mathbb{R}^3, \mathcal{O}", "F⃗, ŷ, A̅B̅, ℝ³, 𝒪"),
        (r"K_{eq}, E^\circ_{\text{cell}}, e^{-Q}, 90^\circ", "K_eq, E°_cell, e^(−Q), 90°"),
        (r"x \notin A, x \not\in B, p \not= q, \|x\|, \binom nk", "x ∉ A, x ∉ B, p ≠ q, ‖x‖, C(n, k)"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "(a b; c d)"),
        (r"\begin{bmatrix} 1 \\[2pt] 2 \end{bmatrix}", "(1; 2)"),
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "a = b; = c"),
        (r"\ce{A ->[\Delta] B}", "A → (Δ) B"),
        (r"\deg f, \sup A, \Pr(x), \operatorname*{argmin}_x", "deg f, sup A, Pr(x), argminₓ"),
        (r"E^\circ - \frac{RT}{zF}\ln Q", "E° − (RT/zF) ln Q"),
        (r"\frac{a}{b}\sin x, \frac ab\, x, \frac{a}{b}(c+d)", "(a/b) sin x, (a/b) x, (a/b) (c + d)"),
        (r"\frac{1}{2}mv^2, \frac{a}{b}\cdot c, \frac{\frac{a}{b}c}{d}", "1/2 mv², a/b · c, ((a/b) c)/d"),
        (r"n\log n, -\sin\theta\cos\theta, \arg\max f(x)\ln(x)", "n log n, −sin θ cos θ, arg max f(x) ln(x)"),
        (r"\pu{1.2e3 kJ mol-1}, a\cdot b, f(\cdot), \nabla\cdot E", "1.2 · 10³ kJ mol⁻¹, a · b, f(·), ∇ · E"),
        (r"\ce{CuSO4 * 5H2O}, \ce{A...B}", "CuSO₄ · 5 H₂O, A···B"),
        (r"K_b, K_\mathrm{b}, K_{\mathrm b}, pK_\text{a}", "K_b, K_b, K_b, pKₐ"),
        (r"\ce{SO4^2-}, \ce{SO_4^2-}, \ce{SO4^{2-}}", "SO₄²⁻, SO₄²⁻, SO₄²⁻"),
        (r"\ce{CH3CH=CH2 + HBr}, x=\ce{O=C=O}, a = b", "CH₃CH=CH₂ + HBr, x = O=C=O, a = b"),
        (r"\ce{AgCl v <=>[+ 2OH-] B}", "AgCl ↓ ⇌ (+2 OH⁻) B"),
        (r"a = b \qquad \ln k,\qquad c;\qquad d", "a = b; ln k, c; d"),
        (r"\frac{a}{b} \quad c,\quad d \quad", "a/b\u2003c,\u2003d"),
        (r"x^{1/2}, \left(\frac{\partial H}{\partial T}\right)_p", "x^(1/2), (∂H/∂T)ₚ"),
        (r"\frac{0.69}{k}, \frac{[\ce{A}]_0}{2}", "0.69/k, [A]₀/2"),
        (r"\sum_{i=1}^{N} x_i, \sum_{k=0}^\infty", "∑ᵢ₌₁^N xᵢ, ∑ₖ₌₀^∞"),
        (r"\int_{[\ce{A}]_0}^{[\ce{A}]} x, \prod_K^{N-1}", "∫_[A]₀^[A] x, ∏_K^(N−1)"),
        (r"-\frac ab = - \frac ab; (-\frac ab) - \frac ab", "−a/b = −a/b; (−a/b) − a/b"),
        (r"\unknown{x}", "unknown x"),
        ("{" * 3_000, "{" * 3_000),
        (r"\frac{a", "a/"),
        ("", ""),
    ],
)
def test_a_formula_is_read_as_it_is_drawn(tex: str, expected: str) -> None:
    assert written(readable(rf"\({tex}\)")) == written(readable(rf"\[{tex}\]")) == expected


def test_a_script_that_unicode_lacks_has_a_mark_after_each_letter() -> None:
    drawn = readable(r"\(K_c = e^{-K_{b}}\), \(x_{\mathrm{eq}}\sin y_q\log_Q 2\)")
    assert drawn.replace(LOW, "↓").replace(HIGH, "↑") == "Kc↓ = e−↑K↑_↑b↑, xe↓q↓ sin yq↓ logQ↓ 2"
    assert written(drawn) == "K_c = e^(−K_b), x_eq sin y_q log_Q 2"
    html = "K<sub>eq</sub>, x<sub>{{c1::Q}}</sub>, <sup>\\(x\\)</sup>"
    assert as_lines(html, 100).replace(LOW, "↓") == "Ke↓q↓, x_(Q), ^(x)"


def test_only_formulas_and_clozes_are_read() -> None:
    assert readable(r"a_1 \frac {{b}} \(x^2\) c^2") == r"a_1 \frac {{b}} x² c^2"
    text = r"{{c1::Water::what?}} is {{c2::\(\sqrt{x^{2}}\)}}, \({{c3::\alpha}} + 1\)"
    assert readable(text) == "Water is √(x²), α + 1"
    assert readable(text, marked=True) == "[Water (what?)] is [\u2066√(x²)\u2069], \u2066[α] + 1\u2069"
    assert readable(r"\(\ce{ {{c1::H2O}} }\)") == "H₂O"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            (
                "<ol>\n<li><p>Fill.</p></li>\n<li><p>Add it"
                '<sup class="footnote-ref"><a href="#fn1" id="fnref1">1</a></sup>.</p>\n<p>Look.</p></li>\n'
                "<li><p>Read.</p>\n<ul>\n<li>twice</li>\n<li>H<sub>2</sub>O</li>\n</ul></li>\n</ol>"
                '<section class="footnotes"><ol><li id="fn1"><p>Red. '
                '<a class="footnote-backref" href="#fnref1">↩</a></p></li></ol></section>'
            ),
            "1. Fill.\n2. Add it[1].\nLook.\n3. Read.\n\u2003• twice\n\u2003• H₂O\n1. Red.",
        ),
        ('<ol start="5"><li>five<li>six</ol><ol start="x"><li>one</ol>', "5. five\n6. six\n1. one"),
        (
            (
                '<div class="markdown-alert markdown-alert-warning"><p class="markdown-alert-title">Warning</p>\n'
                "<p>Acid burns.</p>\n<p>Really.</p></div>"
            ),
            "⚠ Acid burns.\nReally.",
        ),
        (
            '<div class="sequence numbered">\n{{c1::Mix}}<br>\n{{c2::Stir}}<br>\n</div>',
            "1. Mix\n2. Stir",
        ),
        ('<div class="set">\n{{c1::Mix}}<br>\n{{c2::Stir}}<br>\n</div>', "• Mix\n• Stir"),
        (
            (
                '<ol class="choices" type="A">\n<li class="right"><span class="mark">✓ right</span><p>Rabat</p>\n'
                '<div class="comment"><p>city on the Atlantic</p></div></li>\n'
                '<li class="wrong"><span class="mark">✗ wrong</span><p>Fes</p></li>\n</ol>\n<p>So.</p>'
            ),
            "✓ Rabat — city on the Atlantic\n✗ Fes\nSo.",
        ),
        (
            '<ol class="choices" type="A">\n<li><p>Rabat</p></li>\n<li><p>Fes</p></li>\n</ol>',
            "• Rabat\n• Fes",
        ),
        ("<p>One<br>two</p><p>three</p>", "One\ntwo\nthree"),
    ],
)
def test_each_item_option_and_paragraph_is_a_line_with_its_mark(html: str, expected: str) -> None:
    assert as_lines(html, 5_000) == expected


@pytest.mark.parametrize(
    "part",
    [
        r"\(",
        r"\[",
        "{{c1::",
        "{{c1::a::",
        r"\(x",
        r"\ce{",
        r"\(\ce{",
        r"\frac{",
        r"\(\begin{a",
        r"\sqrt[",
        "^",
        "{{c1::}}",
    ],
)
@pytest.mark.parametrize("end", ["", r"\)", r"\)}}"])
def test_no_text_is_read_for_long(part: str, end: str) -> None:
    text = part * (30_000 // len(part)) + end
    begin = time.process_time()
    readable(text)
    readable(rf"\({text}\)")
    readable(rf"\({text[:4_990]}\)" * 6)
    assert time.process_time() - begin < 0.3
