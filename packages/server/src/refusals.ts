import { apiError, type ApiError, type ErrorOptions } from "@bursar/api/errors/ApiError"
import type { ErrorCode } from "@bursar/api/errors/Catalogue"
import { FieldError, JsonObject } from "@bursar/api/errors/ErrorBody"
import type { Command } from "@bursar/core/engine/Command"
import type { Refusal, RefusalCode } from "@bursar/core/base/Refusal"
import type { SubmitError, Writer } from "@bursar/core/engine/Writer"
import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import { UnknownCurrency } from "@bursar/core/money/Currency"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Schema } from "effect"

/** The code that each refusal of the core is answered with; null where it must never reach a caller. */
const codes: Readonly<Record<RefusalCode, ErrorCode | null>> = {
  unknown_network: "unknown_network",
  unsupported_asset: "unsupported_asset",
  address_invalid: "address_invalid",
  address_unavailable: "address_unavailable",
  amount_invalid: "amount_invalid",
  amount_too_precise: "amount_too_precise",
  below_minimum: "below_minimum",
  insufficient_balance: "insufficient_balance",
  not_found: "not_found",
  state_conflict: "state_conflict",
  grant_required: "grant_required",
  not_granted: "product_not_enabled",
  external_id_taken: "external_id_taken",
  idempotency_key_reused: "idempotency_key_reused",
  signature_replayed: "signature_replayed",
  invalid_request: "invalid_request",
  xpub_already_live: "xpub_already_live",
  xpub_invalid: "xpub_invalid",
  xpub_not_depth_3: "xpub_not_depth_3",
  no_live_xpub: "no_live_xpub",
  xpub_range_exhausted: "xpub_range_exhausted",
  wrapped_key_unreadable: "wrapped_key_unreadable",
  sweep_hold_by_operator: "sweep_hold_by_operator",
  sweep_newer_arrival: "sweep_newer_arrival",
  address_is_ours: "address_is_ours",
  memo_required: "memo_required",
  memo_invalid: "memo_invalid",
  payout_limit_exceeded: "payout_limit_exceeded",
  daily_limit_exceeded: "daily_limit_exceeded",
  new_address_limit_exceeded: "new_address_limit_exceeded",
  withdrawal_limit_exceeded: "withdrawal_limit_exceeded",
  destination_not_verified: "destination_not_verified",
  payouts_disabled: "payouts_disabled",
  price_unavailable: "price_unavailable",
  pair_unavailable: "pair_unavailable",
  quote_expired: "quote_expired",
  quote_mismatch: "quote_mismatch",
  quote_already_used: "quote_already_used",
  tenant_mismatch: "tenant_mismatch",
  customer_not_verified: "customer_not_verified",
  capability_missing: "capability_missing",
  account_not_active: "account_not_active",
  beneficiary_invalid: "beneficiary_invalid",
  product_not_enabled: "product_not_enabled",
  provider_unavailable: "provider_unavailable",
  fenced: null,
  plan_invalid: null,
  stale: null
}

const isJsonObject = Schema.is(JsonObject)

const areFields = Schema.is(Schema.Array(FieldError))

/** What a refusal adds to its code: in words, in facts, and, where its detail has `fields`, which of them are at fault. */
export const refusalOptions = (message: string, detail: unknown): ErrorOptions => {
  if (!isJsonObject(detail)) return { message }
  const { fields, ...rest } = detail
  if (!areFields(fields)) return { message, detail }
  return { message, fields, ...(Object.keys(rest).length > 0 && { detail: rest }) }
}

/**
 * The answer to a refusal. What is not there is answered with the catalogue's own words: another tenant's, absent and of
 * the wrong kind must not differ by a byte.
 */
export const refusalError = ({ code, detail, message }: Refusal): Effect.Effect<never, ApiError> => {
  const known = codes[code]
  if (known === null) return Effect.die(new Error(`the refusal ${code} was not meant for a caller`))
  if (known === "not_found") return Effect.fail(apiError("not_found"))
  if (code === "not_granted")
    return Effect.logError("grant.refused").pipe(
      Effect.annotateLogs({ reason: detail?.["reason"] }),
      Effect.andThen(Effect.fail(apiError(known, { message })))
    )
  return Effect.fail(apiError(known, refusalOptions(message, detail)))
}

/** The answer where records cannot be read at the moment. */
export const cannotRead = (): ApiError =>
  apiError("provider_unavailable", { message: "The service cannot read its records at the moment." })

/** The answer where nothing can be written at the moment; nothing was, and the same request may be sent again. */
export const cannotWrite = (): ApiError => apiError("read_only")

/** The answer where nothing was changed, since this server lacks a currency that a process with a newer configuration has booked. Whoever runs it is told. */
const lacksCurrency = ({ currency }: UnknownCurrency): Effect.Effect<never, ApiError> =>
  Effect.annotateLogs(Effect.logError("operations.unknown_currency"), { currencies: currency }).pipe(
    Effect.andThen(
      Effect.fail(
        apiError("provider_unavailable", {
          message: `This server does not know the currency ${currency}, and nothing was changed. Ask a server that knows it, or start this one with the configuration that has it.`
        })
      )
    )
  )

/** The answer where a change may have been made, or not. Other than `cannotWrite`, it is no leave to ask again: without a key that may change twice. */
const outcomeUnknown = (): ApiError => apiError("outcome_unknown")

/** The same where the request had a key: the very same one finds out what became of it. */
const outcomeUnderKey = (): ApiError =>
  apiError("internal_error", {
    message: "It is not known whether the change was made. Repeat the request with the `Idempotency-Key` that it had."
  })

/** Reads from the storage, answering for it where it fails. */
export const orUnavailable = <A, R>(effect: Effect.Effect<A, StorageError, R>): Effect.Effect<A, ApiError, R> =>
  Effect.catchTag(effect, "StorageError", (error) => Effect.andThen(logStorageError(error), Effect.fail(cannotRead())))

/** The answer where the storage has failed to write, or may have. */
const unwritten = (error: StorageError, unknown = outcomeUnknown): Effect.Effect<never, ApiError> =>
  Effect.andThen(logStorageError(error), Effect.fail(error.outcome === "unknown" ? unknown() : cannotWrite()))

/** Writes to the storage what is no command, answering for it where it fails. */
export const writing = <A, R>(effect: Effect.Effect<A, StorageError, R>): Effect.Effect<A, ApiError, R> =>
  Effect.catchTag(effect, "StorageError", (error) => unwritten(error))

const submitError = (
  error: SubmitError | UnknownCurrency,
  unknown = outcomeUnknown
): Effect.Effect<never, ApiError> => {
  switch (error._tag) {
    case "Refusal":
      return refusalError(error)
    case "StorageError":
      return unwritten(error, unknown)
    case "Overloaded":
      return Effect.fail(cannotWrite())
    case "UnknownCurrency":
      return lacksCurrency(error)
    case "TenantUnknown":
      return Effect.fail(apiError("not_found"))
  }
}

/** Sends a command; that it has to write an amount of a currency which this server lacks is no bug of it, and nothing was changed. */
const submitted = <A>(
  writer: Writer["Service"],
  tenantId: TenantId,
  command: Command<A>
): Effect.Effect<A, SubmitError | UnknownCurrency> =>
  Effect.catchDefect(writer.submit(tenantId, command), (defect) =>
    defect instanceof UnknownCurrency ? Effect.fail(defect) : Effect.die(defect)
  )

/** How often a command is prepared anew before the caller is asked to come again later. */
const preparedMax = 8

/**
 * Sends a command that has to be prepared from what is stored, and prepares it anew for as long as it comes too late for what
 * it was prepared from. `prepare` is told how often it was called before. `keyed` says that the request has an idempotency key,
 * which the command honours.
 */
export const submitPrepared = <A, E, R>(
  writer: Writer["Service"],
  tenantId: TenantId,
  prepare: (attempt: number) => Effect.Effect<Command<A>, E, R>,
  { keyed = false }: { readonly keyed?: boolean } = {}
): Effect.Effect<A, E | ApiError, R> => {
  const attempt = (count: number): Effect.Effect<A, E | ApiError, R> =>
    Effect.flatMap(prepare(count), (command) =>
      Effect.catch(submitted(writer, tenantId, command), (error) => {
        if (error._tag !== "Refusal" || error.code !== "stale")
          return submitError(error, keyed ? outcomeUnderKey : outcomeUnknown)
        return count + 1 < preparedMax ? attempt(count + 1) : Effect.fail(cannotWrite())
      })
    )
  return attempt(0)
}

/** Sends a command for a tenant and gives its reply, or the answer to its refusal. */
export const submit = <A>(
  writer: Writer["Service"],
  tenantId: TenantId,
  command: Command<A>
): Effect.Effect<A, ApiError> => Effect.catch(submitted(writer, tenantId, command), (error) => submitError(error))
