/**
 * A page of the manual in which a part between `<!-- name: generated -->` and `<!-- name: end -->` holds these lines. Throws where the page
 * has no such part.
 */
export const generatedPart = (page: string, name: string, lines: ReadonlyArray<string>): string => {
  const [begin, end] = [`<!-- ${name}: generated -->`, `<!-- ${name}: end -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The page has no part "${name}".`)
  return `${page.slice(0, from + begin.length)}\n\n${lines.join("\n")}\n\n${page.slice(to)}`
}
