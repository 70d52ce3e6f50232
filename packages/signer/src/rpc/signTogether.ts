import type { SigningRefused, SignTransaction } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { Effect, Exit, Request, RequestResolver, Stream } from "effect"
import type { HttpClient } from "effect/http"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { lineOf, linesMax, linesType, readAnswer, signPath } from "./signLines.ts"

interface Asking extends Request.Request<
  { readonly hash: string; readonly raw: Uint8Array },
  SigningRefused | VaultError
> {
  readonly transaction: SignTransaction
}

type Entry = Request.Entry<Asking>

const asking = Request.of<Asking>()

/** How long one request may be, where it brings more than one transaction. */
const charactersMax = 2 ** 20

const silent = new VaultError({ doing: "reach the signer", reason: "it does not answer" })

interface Written {
  readonly entry: Entry
  readonly line: string
}

/** Transactions that go together: no more of them than the signer takes, and a long one alone. */
const loads = (all: ReadonlyArray<Written>): ReadonlyArray<ReadonlyArray<Written>> => {
  const made: Array<Array<Written>> = []
  let characters = Number.POSITIVE_INFINITY
  for (const one of all) {
    const last = made.at(-1)
    characters += one.line.length
    if (last === undefined || last.length >= linesMax || characters > charactersMax) {
      made.push([one])
      characters = one.line.length
    } else last.push(one)
  }
  return made
}

/**
 * Brings transactions to a signer: those that are asked for at the same moment in one request. Each has its answer when that comes, and a request
 * that breaks off says nothing of those that were not answered.
 */
export const signTogether = (client: HttpClient.HttpClient, baseUrl: string) => {
  const bring = Effect.fnUntraced(function* (load: ReadonlyArray<Written>) {
    const open = new Map(load.map(({ entry }, at) => [at, entry]))
    const post = HttpClientRequest.post(`${baseUrl}${signPath}`).pipe(
      HttpClientRequest.bodyText(load.map(({ line }) => line).join("\n"), linesType)
    )
    const answered = client.execute(post).pipe(
      Effect.flatMap(HttpClientResponse.filterStatusOk),
      Effect.map(({ stream }) => stream),
      Stream.unwrap,
      Stream.decodeText,
      Stream.splitLines,
      Stream.mapEffect((line) => readAnswer(line)),
      Stream.runForEach((answer) =>
        Effect.sync(() => {
          const entry = open.get(answer.at)
          // the first answer counts
          open.delete(answer.at)
          entry?.completeUnsafe("error" in answer ? Exit.fail(answer.error) : Exit.succeed(answer))
        })
      )
    )
    yield* Effect.ignore(answered)
    for (const entry of open.values()) entry.completeUnsafe(Exit.fail(silent))
  })
  const resolver = RequestResolver.make<Asking>((entries) =>
    Effect.forEach(loads(entries.map((entry) => ({ entry, line: lineOf(entry.request.transaction) }))), bring, {
      concurrency: "unbounded",
      discard: true
    })
  )
  return (transaction: SignTransaction) => Effect.request(asking({ transaction }), resolver)
}
