/** Prose that VitePress reads as prose: outside of code, nothing in it is a tag or an expression of Vue. */
export const prose = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/</g, "&lt;").replace(/\{\{/g, "&#123;&#123;")))
    .join("")

/** A text in code. */
export const code = (text) => `\`${text}\``

/** A block of code, with a fence that nothing in it ends. */
export const block = (language, text) => {
  const fence = "`".repeat(Math.max(3, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)))
  return `${fence}${language}\n${text}\n${fence}`
}

/** A table in Markdown; cells stay on one line. */
export const table = (headings, rows) => {
  const row = (cells) => `| ${cells.map((cell) => cell.replace(/\|/g, "\\|").replace(/\s*\n\s*/g, " ")).join(" | ")} |`
  return [row(headings), row(headings.map(() => "---")), ...rows.map(row)].join("\n")
}
