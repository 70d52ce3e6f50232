import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import type { Json } from "../base/Json.ts"
import { isOutcome, Refusal } from "../base/Refusal.ts"
import { type StoredOutcome, IdempotencyRecord } from "./IdempotencyRecord.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

/** What an idempotency key is claimed with. */
export interface IdempotentCommand<A> {
  readonly key: string
  /** The method and path template of the request. */
  readonly endpoint: string
  readonly fingerprint: string
  /** The body that is answered, stored and answered again. */
  readonly render: (reply: A) => Json
  /** The record that the command makes, if it makes one. */
  readonly resourceId?: (reply: A) => string | null
  readonly command: Command<A>
}

/** The outcome of a request with an idempotency key, and whether it is that of an earlier one. */
export interface IdempotentReply {
  readonly outcome: StoredOutcome
  readonly replayed: boolean
}

/** What a request is answered under a key that has a record: the same again, or, where that was another request, `idempotency_key_reused`. */
export const replayOf = (
  earlier: IdempotencyRecord,
  fingerprint: string
): Result.Result<IdempotentReply & { readonly replayed: true }, Refusal> =>
  earlier.fingerprint === fingerprint
    ? Result.succeed({ outcome: earlier.outcome, replayed: true })
    : Result.fail(
        new Refusal({
          code: "idempotency_key_reused",
          message: "This idempotency key was used for another request."
        })
      )

/**
 * Makes a command happen at most once per key: effect, claim and answer are one commit. The same request again gets the
 * same answer, a refusal as faithfully as a success; another request under the same key is refused
 * (`idempotency_key_reused`). A refusal that is no outcome of the request (`isOutcome`) is not kept: the key is as good as new.
 */
export const idempotent = <A>({
  command,
  endpoint,
  fingerprint,
  key,
  render,
  resourceId
}: IdempotentCommand<A>): Command<IdempotentReply> => ({
  name: command.name,
  reads: [...command.reads, readRecord(IdempotencyRecord, key)],
  decide: (view) => {
    const earlier = view.get(IdempotencyRecord, key)
    if (earlier !== undefined) return Result.map(replayOf(earlier, fingerprint), (reply) => ({ changes: [], reply }))
    const decided = command.decide(view)
    if (Result.isFailure(decided) && !isOutcome(decided.failure.code)) return Result.fail(decided.failure)
    const outcome: StoredOutcome = Result.match(decided, {
      onSuccess: ({ reply }) => ({ _tag: "Done", body: render(reply) }),
      onFailure: ({ code, detail, message }) => ({ _tag: "Refused", code, message, detail: (detail as Detail) ?? null })
    })
    return Result.succeed({
      changes: [
        ...(Result.isSuccess(decided) ? decided.success.changes : []),
        putRecord(IdempotencyRecord, {
          key,
          endpoint,
          fingerprint,
          outcome,
          resourceId: Result.isSuccess(decided) ? (resourceId?.(decided.success.reply) ?? null) : null,
          recordedAt: view.now
        })
      ],
      reply: { outcome, replayed: false }
    })
  }
})

/**
 * Stands for a command whose key has a claim already, so that `idempotent` answers from the claim and nothing had to be asked to
 * prepare it. Refused as `stale`, to be prepared after all, where there is no such claim.
 */
export const alreadyRecorded: Command<never> = {
  name: "ClaimedAlready",
  reads: [],
  decide: () => Result.fail(new Refusal({ code: "stale", message: "The idempotency key has not been used." }))
}

// details are made by our own deciders, of JSON values alone
type Detail = { readonly [key: string]: Json } | undefined
