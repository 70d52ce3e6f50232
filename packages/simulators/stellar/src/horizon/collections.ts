import { accountOf } from "../address.ts"
import type { Found } from "../Chain.ts"
import type { JsonObject } from "../json.ts"
import type { Ledger } from "../Ledger.ts"
import { payerOf } from "../Submission.ts"
import { toid } from "../toid.ts"
import type { View } from "../View.ts"
import { ledgerJson } from "./ledgerJson.ts"
import {
  type Done,
  effectJson,
  idOf,
  isPayment,
  operationJson,
  operationOf,
  participantsOf,
  sourceOf
} from "./operationJson.ts"
import { page, pageQuery, type Row } from "./page.ts"
import { badRequest, Problem } from "./Problem.ts"
import { transactionJson } from "./transactionJson.ts"

/** What a collection is limited to. */
export interface Scope {
  readonly ledger?: Ledger
  readonly transaction?: Found
  readonly operation?: Done
  readonly account?: string
}

/** The collections of history. */
export type Collection = "transactions" | "operations" | "payments" | "effects"

const operationsOf = (found: Found): ReadonlyArray<Done> =>
  found.executed.submission.inner.operations.map((_, index) => ({ ...found, index }))

const transactionsIn = (ledger: Ledger, { operation, transaction }: Scope): ReadonlyArray<Found> => {
  const only = operation ?? transaction
  return only === undefined ? ledger.executed.map((executed) => ({ ledger, executed })) : [only]
}

const concerns = (account: string | undefined, done: Done) =>
  account === undefined || participantsOf(operationOf(done), sourceOf(done)).includes(account)

const transactionRows = (base: string, ledger: Ledger, scope: Scope, failed: boolean): ReadonlyArray<Row> =>
  transactionsIn(ledger, scope).flatMap((found) => {
    const { order, submission, successful } = found.executed
    const { account } = scope
    const theirs =
      account === undefined ||
      payerOf(submission) === account ||
      accountOf(submission.inner.source) === account ||
      operationsOf(found).some((done) => concerns(account, done))
    if (!theirs || !(successful || failed)) return []
    const id = toid(ledger.sequence, order)
    return [{ place: [id, 0], token: id.toString(), json: () => transactionJson(base, found) }]
  })

const doneIn = (ledger: Ledger, scope: Scope, failed: boolean): ReadonlyArray<Done> =>
  transactionsIn(ledger, scope)
    .filter(({ executed }) => executed.successful || failed)
    .flatMap((found) => (scope.operation === undefined ? operationsOf(found) : [scope.operation]))

const operationRows = (
  base: string,
  collection: "operations" | "payments",
  ledger: Ledger,
  scope: Scope,
  failed: boolean,
  joined: boolean
): ReadonlyArray<Row> =>
  doneIn(ledger, scope, failed).flatMap((done) => {
    if (!concerns(scope.account, done)) return []
    if (collection === "payments" && !isPayment(operationOf(done))) return []
    const id = idOf(done)
    return [{ place: [id, 0], token: id.toString(), json: () => operationJson(base, done, joined) }]
  })

const effectRows = (base: string, ledger: Ledger, scope: Scope): ReadonlyArray<Row> =>
  doneIn(ledger, scope, false).flatMap((done) =>
    (done.executed.effects[done.index] ?? []).flatMap((effect, nth): ReadonlyArray<Row> => {
      if (scope.account !== undefined && accountOf(effect.account) !== scope.account) return []
      const id = idOf(done)
      return [{ place: [id, nth + 1], token: `${id}-${nth + 1}`, json: () => effectJson(base, done, nth) }]
    })
  )

const isTrue = (query: URLSearchParams, name: string) => query.get(name) === "true"

/** A page of a collection of history. */
export const collection = (
  view: View,
  base: string,
  path: string,
  which: Collection,
  scope: Scope,
  query: URLSearchParams
): JsonObject | Problem => {
  const wanted = pageQuery(view, query)
  if (wanted instanceof Problem) return wanted
  const join = query.get("join")
  if (join !== null && join !== "" && join !== "transactions") {
    return badRequest("join", "Accepted values: transactions")
  }
  const failed = isTrue(query, "include_failed")
  const only = scope.ledger ?? scope.transaction?.ledger ?? scope.operation?.ledger
  const rowsOf = (ledger: Ledger): ReadonlyArray<Row> => {
    if (which === "effects") return effectRows(base, ledger, scope)
    return which === "transactions"
      ? transactionRows(base, ledger, scope, failed)
      : operationRows(base, which, ledger, scope, failed || scope.transaction !== undefined, join === "transactions")
  }
  return page(view, `${base}${path}`, wanted, rowsOf, only)
}

/** A page of ledgers. */
export const ledgers = (view: View, base: string, query: URLSearchParams): JsonObject | Problem => {
  const wanted = pageQuery(view, query)
  if (wanted instanceof Problem) return wanted
  return page(view, `${base}/ledgers`, wanted, (ledger) => {
    const id = toid(ledger.sequence)
    return [{ place: [id, 0], token: id.toString(), json: () => ledgerJson(base, ledger) }]
  })
}
