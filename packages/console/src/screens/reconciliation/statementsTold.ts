import type { ReadStatements } from "@bursar/api/operator/OperatorStatement"

/** The statements that were read from a file. */
export type FileStatements = (typeof ReadStatements.Type)["statements"]

/** The requests that import what was read, in their order. */
export const requestsOf = (statements: FileStatements) => statements.flatMap(({ requests }) => requests)

/** What was read from a file, and for which place: it is imported for that one, whatever a form says by then. Others wrote parts of it: show it as foreign. */
export const statementsTold = (statements: FileStatements): string => {
  const requests = requestsOf(statements)
  const lines = requests.reduce((sum, one) => sum + one.lines.length, 0)
  const places = [...new Set(requests.map(({ place }) => place))].join(", ")
  const each = statements.flatMap(({ account, requests: [first] }) => {
    if (first === undefined) return []
    const { currencies, from, id, to } = first
    const of = account === null ? "" : ` of account ${account}`
    return [`${id}${of} (${currencies.join(", ")}, ${from} to ${to})`]
  })
  return `For ${places}: ${lines} lines in ${each.join("; ")}.`
}

/** What of it is kept. `done` counts the parts whose import was answered, null before the first was sent: one whose answer was lost may be kept, too. */
export const keptTold = (done: number | null, parts: number): string => {
  if (done === null) return "Nothing is kept yet."
  return done < parts ? `${done} of ${parts} parts are kept for certain.` : "All of it is kept."
}
