import type { OperatorOperationDetail } from "@bursar/api/operator/OperatorOperation"
import { printableLines } from "@bursar/api/wire/printable"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { moneyText } from "./money.ts"
import { connectionFlags, openTenant, tenantArgument } from "./operator.ts"
import { printRecord, printRows, printText } from "./print.ts"

/** What names one operation. */
export const named = {
  ...connectionFlags,
  tenant: tenantArgument,
  operation: Argument.String("operation").pipe(Argument.withDescription("The operation's id"))
}

/** A client, and the path of the operation that the arguments name. */
export const openOperation = Effect.fn("operation.open")(function* (
  options: Parameters<typeof openTenant>[0] & { readonly operation: string }
) {
  const { client, params } = yield* openTenant(options)
  return { client, path: { params: { ...params, operation_id: options.operation } } }
})

const isMoney = (value: unknown): value is { readonly amount: string; readonly currency: string } =>
  typeof value === "object" && value !== null && "amount" in value && "currency" in value

/** Fields as a person reads them: what nothing is known of is left out. */
const readable = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, isMoney(value) ? moneyText(value) : value])
  )

const attemptRow = (one: OperatorOperationDetail["deliveries"][number]) => ({
  at: one.attempted_at,
  event: one.event_id,
  attempt: one.attempt,
  answer: one.status ?? one.problem,
  ms: one.duration_ms,
  url: one.url
})

const said = (facts: Readonly<Record<string, string>>) =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")

const callRow = (one: OperatorOperationDetail["provider_calls"][number]) => ({
  at: one.first_at,
  times: one.times,
  call: one.call,
  outcome: one.outcome,
  asked: said(one.asked),
  answered: said(one.answered),
  ms: one.duration_ms
})

/** An operation as a person reads it, or as a program does. */
export const told = Effect.fnUntraced(function* (json: boolean, operation: OperatorOperationDetail) {
  if (json) return yield* printRecord(json, operation)
  const { attempts, contradiction, deliveries, events, evidence, legs, resolutions, timeline, waits, ...others } =
    operation
  const { provider_calls: calls, signed_request: request, ...rest } = others
  yield* printRecord(json, {
    ...readable(rest),
    ...(waits && { waits_for: `${waits.reason}: ${waits.detail}` }),
    ...(contradiction && {
      contradiction: `${contradiction.said} (${contradiction.at})`,
      contradiction_id: contradiction.id
    }),
    legs: legs.length,
    events: events.length,
    ...(request && { signed_by: request.keyid })
  })
  yield* printText("\nWhat happened:")
  yield* printRows(json, timeline, "")
  for (const [title, rows] of [
    ["Signed, oldest first; of each outbound transaction at most one takes effect:", attempts],
    ["Evidence:", evidence],
    ["Resolutions:", resolutions.map(readable)]
  ] as const) {
    if (rows.length === 0) continue
    yield* printText(`\n${title}`)
    for (const one of rows) yield* printRecord(json, { ...one })
  }
  if (calls.length > 0) {
    yield* printText("\nWhat its provider was asked and answered, newest first:")
    yield* printRows(json, calls.map(callRow), "")
  }
  if (deliveries.length > 0) {
    yield* printText("\nWebhook attempts, newest first:")
    yield* printRows(json, deliveries.map(attemptRow), "")
  }
  if (request !== null) {
    const { body, signature_base: base } = request
    yield* printText(
      `\nSigned request:\n${printableLines(base)}\n\n${printableLines(body ?? "(its body is not shown)")}`
    )
  }
})
