import { SigningRefused, type SignTransaction } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { Effect, Exit, Request, RequestResolver } from "effect"
import { setTimeout } from "node:timers/promises"
import { bodyMaxBytes } from "./SignerApi.ts"
import { lineOf, linesMax, readAnswer } from "./signLines.ts"

/** Sends some lines, tells each line of what comes back, and ends with it; fails where it is no answer, or breaks off. */
export type PostLines = (lines: string, onLine: (line: string) => void) => Effect.Effect<void, unknown>

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

/** How long transactions wait for others where an answer is awaited already. */
const gatheringMs = 1

const silent = new VaultError({ doing: "reach the signer", reason: "it does not answer" })

/** The signer reads nothing of a request that is too long, however often it is made: that one is not made at all. */
const tooLong = (network: string): SigningRefused =>
  new SigningRefused({ network, reason: `it is too long: a signer reads ${bodyMaxBytes} bytes at most` })

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
export const signTogether = (post: PostLines) => {
  let awaited = 0
  // while answers are awaited more are on their way: a moment brings them together
  const moment = Effect.suspend(() => (awaited <= 0 ? Effect.yieldNow : Effect.promise(() => setTimeout(gatheringMs))))

  const bring = Effect.fnUntraced(function* (load: ReadonlyArray<Written>) {
    const open = new Map(load.map(({ entry }, at) => [at, entry]))
    // throws where the line is no answer
    const onLine = (line: string): void => {
      const answer = readAnswer(line)
      const entry = open.get(answer.at)
      // the first answer counts
      if (open.delete(answer.at)) awaited -= 1
      entry?.completeUnsafe("error" in answer ? Exit.fail(answer.error) : Exit.succeed(answer))
    }
    awaited += load.length
    const posted = post(load.map(({ line }) => line).join("\n"), onLine)
    yield* Effect.ensuring(
      Effect.ignore(posted),
      Effect.sync(() => {
        awaited -= open.size
      })
    )
    for (const entry of open.values()) entry.completeUnsafe(Exit.fail(silent))
  })
  const write = (entry: Entry): ReadonlyArray<Written> => {
    const line = lineOf(entry.request.transaction)
    if (Buffer.byteLength(line) <= bodyMaxBytes) return [{ entry, line }]
    entry.completeUnsafe(Exit.fail(tooLong(entry.request.transaction.network)))
    return []
  }
  const resolver = RequestResolver.make<Asking>((entries) =>
    Effect.forEach(loads(entries.flatMap(write)), bring, { concurrency: "unbounded", discard: true })
  ).pipe(RequestResolver.setDelayEffect(moment))
  return (transaction: SignTransaction) => Effect.request(asking({ transaction }), resolver)
}
