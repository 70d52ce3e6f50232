import { books } from "./lines/books.ts"
import { checker } from "./lines/checker.ts"
import { consoleList } from "./lines/console.ts"
import { http } from "./lines/http.ts"
import type { Lines } from "./lines/Lines.ts"
import { payouts } from "./lines/payouts.ts"
import { peers } from "./lines/peers.ts"
import { readers } from "./lines/readers.ts"
import { reads } from "./lines/reads.ts"
import { reconciliation } from "./lines/reconciliation.ts"
import { scan } from "./lines/scan.ts"
import { search } from "./lines/search.ts"
import { signing } from "./lines/signing.ts"
import { solvency } from "./lines/solvency.ts"
import { tip } from "./lines/tip.ts"
import { webhooks } from "./lines/webhooks.ts"
import { writer } from "./lines/writer.ts"

/** What is measured, and how many rounds it takes: rates vary from round to round, and their median counts. */
export interface Row {
  readonly lines: Lines
  readonly rounds: number
  /** Measured where it is named, and not with all the others. */
  readonly apart?: true
}

const inRounds = (lines: Lines): Row => ({ lines, rounds: 3 })

const once = (lines: Lines): Row => ({ lines, rounds: 1 })

/** What can be measured, in the order in which all of it is. Payouts and reads make rounds of their own. */
export const rows: Readonly<Record<string, Row>> = {
  writer: inRounds(writer),
  webhooks: inRounds(webhooks),
  reads: once(reads),
  checker: once(checker),
  http: inRounds(http),
  payouts: once(payouts),
  signing: inRounds(signing),
  books: once(books),
  solvency: once(solvency),
  reconciliation: once(reconciliation),
  readers: once(readers),
  search: once(search),
  console: once(consoleList),
  tip: once(tip),
  scan: once(scan),
  // needs programs that nobody else needs
  peers: { ...inRounds(peers), apart: true }
}
