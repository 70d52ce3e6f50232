import { StrKey } from "@stellar/stellar-sdk/base"
import { Clock, Effect, Result } from "effect"
import type { Exchange } from "@bursar/simulator-kit/HttpListener"
import type { Chain, Found } from "./Chain.ts"
import { type Answer, answer } from "./horizon/horizonApi.ts"
import { badRequest, failedTransaction, malformedTransaction, notFound, submissionTimeout } from "./horizon/Problem.ts"
import { transactionJson } from "./horizon/transactionJson.ts"
import type { Json } from "./json.ts"
import { codesOf, encoded } from "./result.ts"
import { answerRpc, type RpcCall } from "./rpcApi.ts"
import type { StellarFaucet } from "./StellarFaucet.ts"
import { decode, type Submission } from "./Submission.ts"
import type { View } from "./View.ts"

const friendbotUnits = 10_000_0000000n

const baseOf = ({ headers }: Exchange): string => `http://${String(headers["host"])}`

const seconds = Effect.map(Clock.currentTimeMillis, (ms) => Math.floor(ms / 1_000))

/** Waits until a transaction is in a ledger. */
const included = (chain: Chain, hash: string): Effect.Effect<Found> =>
  Effect.callback<Found>((resume) => {
    const look = () => {
      const found = chain.find(hash)
      if (found !== undefined) resume(Effect.succeed(found))
    }
    const stop = chain.onClose(look)
    look()
    return Effect.sync(stop)
  })

/** What became of a transaction, as the answer to whoever handed it in. */
const outcome = (base: string, { envelope }: Submission, found: Found): Answer =>
  found.executed.successful
    ? { status: 200, body: transactionJson(base, found) }
    : failedTransaction(envelope, found.executed.resultXdr, { ...codesOf(found.executed.result) })

/** `POST /transactions`: waits for the ledger. What has been in one already is answered with what became of it. */
const postTransaction = Effect.fnUntraced(function* (faucet: StellarFaucet, exchange: Exchange, timeoutMs: number) {
  const { chain } = faucet
  const base = baseOf(exchange)
  const text = new URLSearchParams(exchange.body).get("tx") ?? exchange.query.get("tx") ?? ""
  const submission = decode(text, chain.passphrase)
  if (submission === undefined) return malformedTransaction(text)
  const known = chain.find(submission.hash)
  if (known !== undefined) return outcome(base, submission, known)
  const submitted = faucet.submit(submission, yield* seconds)
  if (submitted.status === "ERROR") {
    return failedTransaction(text, encoded(submitted.result), { ...codesOf(submitted.result) })
  }
  return yield* included(chain, submission.hash).pipe(
    Effect.map((found) => outcome(base, submission, found)),
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => Effect.succeed<Answer>(submissionTimeout(submission.hash, text))
    })
  )
})

const asyncStatuses = { PENDING: 201, DUPLICATE: 409, TRY_AGAIN_LATER: 503, ERROR: 400 } as const

/** `POST /transactions_async`: says what the network says, and waits for nothing. */
const postAsync = Effect.fnUntraced(function* (faucet: StellarFaucet, exchange: Exchange) {
  const text = new URLSearchParams(exchange.body).get("tx") ?? ""
  const submission = decode(text, faucet.chain.passphrase)
  if (submission === undefined) return malformedTransaction(text)
  const submitted = faucet.submit(submission, yield* seconds)
  const body = {
    tx_status: submitted.status,
    hash: submission.hash,
    error_result_xdr: submitted.status === "ERROR" ? encoded(submitted.result) : undefined
  }
  return { status: asyncStatuses[submitted.status], body } satisfies Answer
})

/** `/friendbot`: makes an account with some coin. */
const friendbot = Effect.fnUntraced(function* (faucet: StellarFaucet, exchange: Exchange) {
  const { chain } = faucet
  const to = exchange.query.get("addr") ?? ""
  if (!StrKey.isValidEd25519PublicKey(to)) return badRequest("addr", "invalid address")
  if (chain.accounts(chain.head().sequence).has(to)) {
    return badRequest("addr", "account already funded to starting balance")
  }
  return yield* faucet.pay(to, "native", friendbotUnits).pipe(
    Effect.flatMap(({ hash }) => included(chain, hash)),
    Effect.map((found): Answer => ({ status: 200, body: transactionJson(baseOf(exchange), found) })),
    Effect.catch(({ message }) => Effect.succeed<Answer>(badRequest("addr", message)))
  )
})

/** Answers a question to Horizon. */
export const askHorizon = (
  faucet: StellarFaucet,
  exchange: Exchange,
  view: View,
  submitTimeoutMs: number
): Effect.Effect<Answer> => {
  const { method, path, query } = exchange
  if (path === "/friendbot") return friendbot(faucet, exchange)
  if (method === "POST" && path === "/transactions") return postTransaction(faucet, exchange, submitTimeoutMs)
  if (method === "POST" && path === "/transactions_async") return postAsync(faucet, exchange)
  return method === "GET"
    ? Effect.sync(() => answer(view, { base: baseOf(exchange), path, query }))
    : Effect.succeed(notFound)
}

/** A question to Stellar RPC and the id that its answer carries; undefined where the text is none. */
export const rpcCall = (body: string): { readonly id: Json; readonly call: RpcCall } | undefined => {
  const parsed: unknown = Result.getOrUndefined(Result.try((): unknown => JSON.parse(body)))
  if (typeof parsed !== "object" || parsed === null || !("method" in parsed) || typeof parsed.method !== "string") {
    return undefined
  }
  const id: unknown = Reflect.get(parsed, "id")
  const params: unknown = Reflect.get(parsed, "params")
  return {
    id: typeof id === "number" || typeof id === "string" ? id : null,
    call: { method: parsed.method, params: typeof params === "object" && params !== null ? { ...params } : {} }
  }
}

/** Answers a question to Stellar RPC. */
export const askRpc = (faucet: StellarFaucet, exchange: Exchange, view: View): Effect.Effect<Answer> =>
  Effect.map(seconds, (now) => {
    const asked = rpcCall(exchange.body)
    if (asked === undefined) {
      return { status: 200, body: { jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } } }
    }
    const friendbotUrl = `${baseOf(exchange)}/friendbot`
    const submit = (submission: Submission) => faucet.submit(submission, now)
    const result = answerRpc({ view, friendbotUrl, submit }, asked.call)
    return { status: 200, body: { jsonrpc: "2.0", id: asked.id, ...result } }
  })
