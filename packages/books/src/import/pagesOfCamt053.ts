import { type Element, elementAt, elementsAt, fail, textAt } from "./Element.ts"

/** Whether a balance is one in the middle of a period, where a page ends and the next one begins. */
export const isIntermediate = (balance: Element): boolean =>
  textAt(balance, "Tp", "CdOrPrtry", "Cd") === "ITBD" || textAt(balance, "Tp", "SubTp", "Cd") === "INTM"

const pageAt = (pages: Element) => {
  const number = textAt(pages, "PgNb") ?? ""
  if (!/^\d{1,5}$/u.test(number)) return fail(`${number || "nothing"} is no number of a page`, pages)
  return { page: Number(number), isLast: ["true", "1"].includes(textAt(pages, "LastPgInd") ?? "") }
}

/** Whether a message is one of several, which have the rest of what it cannot hold: older versions number only those. */
const isOneOfSeveral = (header: Element | undefined): boolean => {
  const pages = header === undefined ? undefined : elementAt(header, "MsgPgntn")
  if (pages === undefined) return false
  const { isLast, page } = pageAt(pages)
  return page !== 1 || !isLast
}

/**
 * Which page of its statement it is, and whether none follows. A statement without pages is one. Where the rest of it may be in another
 * message, it is whole only if it has the balances of both ends, which its entries must then lead between.
 */
export const placeOf = (statement: Element, header: Element | undefined, hasBothEnds: boolean) => {
  const pages = elementAt(statement, "StmtPgntn")
  if (pages !== undefined) return pageAt(pages)
  if (!hasBothEnds && (isOneOfSeveral(header) || elementsAt(statement, "Bal").some(isIntermediate)))
    return fail(
      "the statement is not certainly whole: it can go on in another message, and has no opening or no closing balance; have the bank send it in one",
      statement
    )
  return { page: null, isLast: true }
}
