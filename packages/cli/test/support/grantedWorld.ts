import { toIso } from "@bursar/core/base/Timestamp"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId, Grant } from "@bursar/core/grant/Grant"
import { fleetKinds, type GrantDocument, type GrantKind, type GrantValues } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { Grants } from "@bursar/core/grant/Grants"
import { grantEffect } from "@bursar/core/granting/grantEffect"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { approvedBy, documentOn, type TestApprover } from "@bursar/testkit/fixtures/grants"
import { Clock, Effect, Result } from "effect"

/** Submits a command. */
export const submit = <A>(tenantId: TenantId, command: Command<A>) =>
  Effect.flatMap(Writer, (writer) => writer.submit(tenantId, command))

/** When a grant is proposed where nobody says: an hour ago. */
const hourMs = 3_600_000

/** Appends a grant that some people have signed, with what it writes, as the operator interface does. */
export const appendSigned = Effect.fnUntraced(function* <K extends GrantKind>(
  id: TenantId,
  people: ReadonlyArray<TestApprover>,
  {
    kind,
    proposedMsAgo = hourMs,
    values
  }: { readonly kind: K; readonly values: GrantValues<K>; readonly proposedMsAgo?: number }
) {
  const { stateOf } = yield* Grants
  const chains = yield* stateOf(id)
  const now = yield* Clock.currentTimeMillis
  const moments = { proposed_at: toIso(now - proposedMsAgo), expires_at: toIso(now + hourMs) }
  const document: GrantDocument = { ...documentOn(chains, kind, values), ...moments }
  const entry = yield* approvedBy(document, people)
  const number = Number(document.number)
  const one: Grant = { ...entry, recordedAt: now, number, hash: yield* grantHash(entry.document), proposalId: null }
  const stops = "suspended" in values ? values.suspended : "stopped" in values && values.stopped
  const judged = { direction: stops ? "lowers" : "raises", before: undefined } as const
  const effect = grantEffect(document, judged, {
    currencies: defaultCurrencies,
    sealKey: () => ""
  })
  yield* submit(fleetKinds.has(kind) ? fleetTenantId : id, {
    name: "Append",
    reads: [readRecord(Grant, number), ...(effect?.reads ?? [])],
    decide: (view) => {
      const decided = effect?.decide(view)
      const changes = decided?._tag === "Success" ? decided.success.changes : []
      return Result.succeed({ changes: [putRecord(Grant, one), ...changes], reply: undefined })
    }
  })
})
