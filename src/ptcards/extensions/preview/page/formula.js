// Formulas as one line of text for the list, close enough to the original to recognise a question.

const SYMBOLS = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", eta: "η", theta: "θ", kappa: "κ", lambda: "λ", mu: "μ",
  nu: "ν", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", varphi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ",
  Theta: "Θ", Lambda: "Λ", Sigma: "Σ", Phi: "Φ", Omega: "Ω", partial: "∂", nabla: "∇", sum: "∑", prod: "∏", int: "∫", infty: "∞",
  cdot: "·", times: "×", odot: "⊙", oplus: "⊕", pm: "±", le: "≤", leq: "≤", ge: "≥", geq: "≥", ne: "≠", neq: "≠", approx: "≈", sim: "∼",
  propto: "∝", in: "∈", to: "→", rightarrow: "→", leftarrow: "←", top: "⊤", ell: "ℓ", dots: "…", ldots: "…", cdots: "⋯", quad: " ",
};
const LOW = Object.fromEntries([..."0123456789+-=()aehijklmnoprstuvx"].map((c, n) => [c, [..."₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"][n]]));
const HIGH = Object.fromEntries([..."0123456789+-=()niT"].map((c, n) => [c, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ"][n]]));

function script(mark, text) {
  const table = mark === "_" ? LOW : HIGH;
  const known = [...text].every((c) => table[c]);
  return known ? [...text].map((c) => table[c]).join("") : `${mark}${text.length > 1 ? `(${text})` : text}`;
}

export function plainFormula(tex) {
  return tex
    .replace(/\\(?:mathrm|mathbf|mathcal|mathbb|mathit|text|textbf|operatorname|boldsymbol|hat|bar|tilde|vec)\s*\{([^{}]*)\}/g, "$1")
    .replace(/\\(?:left|right|big|Big|displaystyle|[,;:! ])/g, "")
    .replace(/\\([A-Za-z]+)/g, (command, name) => SYMBOLS[name] ?? command)
    .replace(/([_^])(?:\{([^{}]*)\}|([^\\{}\s]))/g, (_, mark, group, one) => script(mark, group ?? one))
    .replace(/\\sqrt\s*\{([^{}]*)\}/g, (_, inside) => (/[ +\-/]/.test(inside) ? `√(${inside})` : `√${inside}`))
    .replace(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, "$1/$2")
    .replace(/\\([A-Za-z]+)/g, "$1")
    .replace(/[{}\\]/g, "")
    .trim();
}
