import { putRecord } from "@bursar/core/engine/Records"
import type { Storage } from "@bursar/core/engine/Storage"
import { Operation } from "@bursar/core/operation/Operation"
import { SigningView } from "@bursar/core/port/SigningView"
import type { Tenants } from "@bursar/core/port/Tenants"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { attemptKey, TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { emitting, writing } from "../fixtures/commands.ts"
import { bareOperation, bareTransaction, newIdAt } from "../fixtures/records.ts"
import { commitAt, newTenant, past } from "../fixtures/tenants.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** The ports that the suite of the signer's view uses. */
export type SigningViewSuitePorts = SigningView | Storage | Tenants

/** A tenant with a payout that was signed for, in a transaction of a phase. */
const signedPayout = Effect.fnUntraced(function* (
  phase: OutboundTransaction["phase"],
  signedAt: number,
  { pays = true, signed = true }: { readonly pays?: boolean; readonly signed?: boolean } = {}
) {
  const tenant = yield* newTenant({ createdAt: past })
  const view = { tenant, now: past, newId: () => newIdAt(past) }
  const base = `signed ${newIdAt(past)}`
  const operation = bareOperation(view, {
    kind: "CHAIN_PAYOUT",
    status: "PROCESSING",
    network: "tron",
    providerReference: "sent",
    details: signed
      ? { signature: { keyid: "k", signature: "s", signature_base: base, body: "{}" } }
      : { made_by: "somebody" }
  })
  const ended = phase === "FINAL" ? ({ outcome: "done", fee: 1n, endedAt: signedAt } as const) : {}
  const transaction = bareTransaction(view, { network: "tron", phase, signedAt, from: "payer", ...ended })
  const attempt: TransactionAttempt = {
    network: "tron",
    hash: newIdAt(past),
    transactionId: transaction.id,
    raw: Uint8Array.of(1, 2, 255),
    validUntil: past + 60_000,
    replaces: null,
    pays: pays ? [operation.id] : [],
    feeMax: 1n,
    signedAt,
    sentAt: null
  }
  yield* commitAt(
    tenant.id,
    past,
    writing(() => [
      putRecord(Operation, operation),
      putRecord(OutboundTransaction, transaction),
      putRecord(TransactionAttempt, attempt)
    ])
  )
  return { attempt, base, operation, tenant, key: attemptKey("tron", attempt.hash) }
})

/** All pages of a list. */
const pages = <A, E>(
  read: (after: string | undefined) => Effect.Effect<ReadonlyArray<A>, E>,
  place: (one: A) => string
) =>
  Effect.gen(function* () {
    const all: Array<A> = []
    for (;;) {
      const last = all.at(-1)
      const page = yield* read(last === undefined ? undefined : place(last))
      if (page.length === 0) return all
      all.push(...page)
    }
  })

/** What every SigningView must tell: what the signer compares its own memory with. */
export const signingViewSuite = <E>(
  name: string,
  layer: Layer.Layer<SigningViewSuitePorts, E>,
  options: SuiteOptions = {}
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: SigningView`, (it) => {
    it.effect("tells how far each tenant has come, and nothing of one that does not exist", () =>
      Effect.gen(function* () {
        const { onPrimary, progress, progressOfAll } = yield* SigningView
        const [one, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
        const before = yield* progress(one.id)
        yield* commitAt(one.id, past, emitting(), emitting())
        assert.strictEqual((yield* progress(one.id))?.eventId, (before?.eventId ?? 0n) + 2n)
        assert.deepStrictEqual(yield* progress(other.id), before)
        assert.isUndefined(yield* progress(TenantId(newIdAt(past))))
        const all = yield* progressOfAll
        for (const { id } of [one, other]) assert.deepStrictEqual(all.get(id), yield* progress(id))
        assert.deepStrictEqual(yield* onPrimary(progressOfAll), all)
      })
    )

    it.effect("tells the newest signatures that pay, the newest first", () =>
      Effect.gen(function* () {
        const { newestSignatures } = yield* SigningView
        // later than those of other tests
        const at = past + 1_000_000
        const older = yield* signedPayout("BROADCAST", at)
        const newer = yield* signedPayout("FINAL", at + 1)
        yield* signedPayout("BROADCAST", at + 2, { pays: false })
        const said = ({ attempt: { hash, signedAt } }: typeof older) => ({ network: "tron", hash, signedAt })
        assert.deepStrictEqual(yield* newestSignatures(2), [said(newer), said(older)])
        assert.deepStrictEqual(yield* newestSignatures(1), [said(newer)])
      })
    )

    it.effect("tells what may still take effect, in pages, with what partners signed for it", () =>
      Effect.gen(function* () {
        const { openSignatures } = yield* SigningView
        const open = [yield* signedPayout("SIGNED", past), yield* signedPayout("BROADCAST", past, { signed: false })]
        const others = [yield* signedPayout("FINAL", past), yield* signedPayout("BROADCAST", past, { pays: false })]
        const all = yield* pages(
          (after) => openSignatures(after, 1),
          ({ key }) => key
        )
        assert.deepStrictEqual(
          open.map(({ key }) => all.filter((one) => one.key === key)),
          open.map(({ attempt, base, key, operation, tenant }) => [
            {
              ...{ key, tenantId: tenant.id, network: "tron", hash: attempt.hash, raw: attempt.raw },
              ...{ validUntil: attempt.validUntil, signedAt: past, guard: { _tag: "Expiry" } as const, from: "payer" },
              signatureBases: "signature" in operation.details ? [base] : []
            }
          ])
        )
        assert.isFalse(all.some(({ key }) => others.some((one) => one.key === key)))
      })
    )

    it.effect("tells the requests that were signed for, in pages, and none without a signature", () =>
      Effect.gen(function* () {
        const { answeredRequests } = yield* SigningView
        const [one, other] = [yield* signedPayout("BROADCAST", past), yield* signedPayout("FINAL", past)]
        const unsigned = yield* signedPayout("BROADCAST", past, { signed: false })
        const all = yield* pages(
          (after) => answeredRequests(after, 1),
          ({ operationId }) => operationId
        )
        for (const { base, operation, tenant } of [one, other])
          assert.deepStrictEqual(
            all.filter(({ operationId }) => operationId === operation.id),
            [{ tenantId: tenant.id, operationId: operation.id, signatureBase: base }]
          )
        assert.isFalse(all.some(({ operationId }) => operationId === unsigned.operation.id))
      })
    )
  })
}
