import { type EarlierSignature, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "../fakeNetwork.ts"
import { mineUntil, processOver, tick } from "../transactions/world.ts"
import { arrive, confirmed, custody, sweeping } from "./world.ts"

/** Sweeps with a signer that has signed something else, too, before the database was restored; it tells of that from a moment on. */
const sweepingWith = (fake: FakeSender, before: EarlierSignature, isRestored = () => true) =>
  Effect.gen(function* () {
    const signer = yield* TransactionSigner
    const signed: typeof signer.signed = (asked) =>
      Effect.map(signer.signed(asked), (all) => (isRestored() ? [before, ...all] : all))
    yield* Effect.forkScoped(sweeping(fake).pipe(Effect.provideService(TransactionSigner, { ...signer, signed })))
  })

const transactionsOf = (id: TenantId) => Effect.flatMap(Queries, (queries) => queries.records(id, OutboundTransaction))

describe("a sweep that only the signer remembers", () => {
  it.effect("waits for no evidence, which nobody could give: the outputs that it left are free", () => {
    const fake = fakeNetwork({ network: "bitcoin", charges: true })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { addresses, id } = yield* custody("bitcoin", fake, 3)
      const deposits = yield* Effect.forEach(addresses, (address) =>
        Effect.flatMap(arrive(id, fake, address, "BTC", 50_000n), (deposit) => confirmed(id, deposit))
      )
      let isRestored = false
      const before = {
        hash: "rival-0",
        raw: new Uint8Array(),
        validUntil: null,
        feeMax: null,
        shares: "guard"
      } as const
      yield* sweepingWith(fake, before, () => isRestored)
      for (let n = 0; n < 6; n++) yield* tick
      isRestored = true
      const [{ address, txHash } = assert.fail("nothing has arrived")] = deposits
      const utxos = [{ txHash, vout: 0, units: 50_000n, address }]
      fake.rival({ _tag: "Utxos", utxos }, yield* Clock.currentTimeMillis)
      const isOver = Effect.map(transactionsOf(id), ([first]) => first?.phase === "FINAL")
      yield* mineUntil(fake, "the sweep is over", isOver)
      const [first] = yield* transactionsOf(id)
      assert.deepInclude(first, { outcome: "replaced", problem: null })
      assert.lengthOf(first?.freed ?? [], 2)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
