import { StrKey } from "@stellar/stellar-sdk/base"
import type { JsonObject } from "../json.ts"
import { partsOf } from "../toid.ts"
import { accountsOf, findIn, ledgerAt, type View } from "../View.ts"
import { accountJson } from "./accountJson.ts"
import { collection, type Collection, ledgers, type Scope } from "./collections.ts"
import { ledgerJson } from "./ledgerJson.ts"
import { feeStatsJson, rootJson } from "./networkJson.ts"
import { type Done, operationJson } from "./operationJson.ts"
import { badRequest, notFound, Problem } from "./Problem.ts"
import { transactionJson } from "./transactionJson.ts"

/** A question to Horizon. */
export interface Question {
  /** Where the node is, for the links in its answers. */
  readonly base: string
  readonly path: string
  readonly query: URLSearchParams
}

/** What is answered. */
export interface Answer {
  readonly status: number
  readonly body: JsonObject
}

const collections: ReadonlySet<string> = new Set<Collection>(["transactions", "operations", "payments", "effects"])

const isCollection = (text: string | undefined): text is Collection => text !== undefined && collections.has(text)

const hashShape = /^[0-9a-f]{64}$/u

const sequenceOf = (text: string): number | undefined => {
  const sequence = Number(text)
  return /^[0-9]{1,10}$/u.test(text) ? sequence : undefined
}

const operationAt = (view: View, text: string): Done | undefined => {
  if (!/^[0-9]{1,19}$/u.test(text)) return undefined
  const { ledger: sequence, operation, transaction } = partsOf(BigInt(text))
  const ledger = ledgerAt(view, sequence)
  const executed = ledger?.executed[transaction - 1]
  if (ledger === undefined || executed === undefined) return undefined
  const index = operation - 1
  return executed.submission.inner.operations[index] === undefined ? undefined : { ledger, executed, index }
}

/** One thing by its name, and the scope of the collections below it. */
const resource = (
  view: View,
  { base, query }: Question,
  kind: string,
  name: string
): { readonly json: (() => JsonObject) | undefined; readonly scope: Scope } | Problem => {
  if (kind === "accounts") {
    if (!StrKey.isValidEd25519PublicKey(name))
      return badRequest("account_id", "Account ID must start with `G` and contain 56 alphanum characters")
    const account = accountsOf(view).get(name)
    // the history of an account outlives it
    return {
      json: account === undefined ? undefined : () => accountJson(base, account),
      scope: { account: name }
    }
  }
  if (kind === "ledgers") {
    const sequence = sequenceOf(name)
    if (sequence === undefined) return badRequest("ledger_id", "Ledger ID must be an integer higher than 0")
    const ledger = ledgerAt(view, sequence)
    return ledger === undefined ? notFound : { json: () => ledgerJson(base, ledger), scope: { ledger } }
  }
  if (kind === "transactions") {
    const hash = name.toLowerCase()
    if (!hashShape.test(hash))
      return badRequest("transaction_hash", "Transaction hash must be a hex-encoded, lowercase SHA-256 hash")
    const transaction = findIn(view, hash)
    return transaction === undefined
      ? notFound
      : { json: () => transactionJson(base, transaction, hash), scope: { transaction } }
  }
  if (kind === "operations") {
    const operation = operationAt(view, name)
    const joined = query.get("join") === "transactions"
    return operation === undefined
      ? notFound
      : { json: () => operationJson(base, operation, joined), scope: { operation } }
  }
  return notFound
}

const shown = (found: JsonObject | Problem): Answer => (found instanceof Problem ? found : { status: 200, body: found })

/** Answers a question that changes nothing. */
export const answer = (view: View, question: Question): Answer => {
  const { base, path, query } = question
  const [kind, name, below, more] = path.split("/").slice(1)
  if (kind === undefined || kind === "") return { status: 200, body: rootJson(base, view) }
  if (kind === "fee_stats" && name === undefined) return { status: 200, body: feeStatsJson(view) }
  if (name === undefined) {
    if (kind === "ledgers") return shown(ledgers(view, base, query))
    return isCollection(kind) ? shown(collection(view, base, path, kind, {}, query)) : notFound
  }
  const found = resource(view, question, kind, name)
  if (found instanceof Problem) return found
  if (below === undefined) return found.json === undefined ? notFound : { status: 200, body: found.json() }
  if (below === "data" && kind === "accounts" && more !== undefined) {
    const value = accountsOf(view).get(name)?.data.get(decodeURIComponent(more))
    return value === undefined ? notFound : { status: 200, body: { value: Buffer.from(value).toString("base64") } }
  }
  return isCollection(below) && more === undefined
    ? shown(collection(view, base, path, below, found.scope, query))
    : notFound
}
