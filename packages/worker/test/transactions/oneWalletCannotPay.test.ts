import type { Operation } from "@bursar/core/operation/Operation"
import { CannotBuild } from "@bursar/core/port/ChainSender"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { defaultSendLimits } from "../../src/transactions/SendLimits.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { blocks, network, payerOfTwo, thrice, toldFrom, waitOf } from "./twoWallets.ts"
import { pay, payer, processOver, receiver, sending, timesPaid } from "./world.ts"

/** As the network is where the issuer of the token has blocked an account: what it pays cannot be built. */
const blocking = (fake: FakeSender, account: string): FakeSender => ({
  ...fake,
  sender: {
    ...fake.sender,
    build: (order) =>
      order.from === account && order.payments.length > 0
        ? Effect.fail(
            new CannotBuild({
              network,
              reason: "asset_blocked",
              detail: "the token lets this wallet pay nobody",
              missing: null
            })
          )
        : fake.sender.build(order)
  }
})

/** The signer of a network, behind which the custody of one account is silent. */
const silentFor = (fake: FakeSender, away: () => string) =>
  Layer.effect(
    TransactionSigner,
    Effect.map(TransactionSigner, (inner) =>
      TransactionSigner.of({
        ...inner,
        sign: (asked) =>
          JSON.parse(new TextDecoder().decode(asked.unsigned)).from === away()
            ? Effect.fail(new VaultError({ doing: "sign", reason: "the custody does not answer" }))
            : inner.sign(asked)
      })
    )
  ).pipe(Layer.provide(fake.signer))

describe("a tenant with two wallets of which one cannot pay", () => {
  it.effect("pays from the other what the token lets the one pay nobody", () => {
    const fake = fakeNetwork({ network })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { first, id } = yield* payerOfTwo(fake, 50_000_000_000n)
      yield* Effect.forkScoped(sending(blocking(fake, first.address)))
      const made: Array<Operation> = []
      for (const n of [1, 2, 3, 4]) {
        made.push(yield* pay(id, network, n))
        yield* thrice
      }
      yield* blocks(fake, 60)
      assert.deepStrictEqual(
        [1, 2, 3, 4].map((n) => timesPaid(fake, receiver(network, n))),
        [1, 1, 1, 1]
      )
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect(
    "says of no payout that the wallets have too little that waits only until the one that has enough has room",
    () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        // the second has nothing
        const { id } = yield* payerOfTwo(fake, 0n)
        const made = yield* Effect.forEach([1, 2, 3, 4], (n) => pay(id, network, n))
        yield* Effect.forkScoped(sending(fake, () => Effect.void, { underWayMax: 2 }))
        yield* thrice
        const seen = yield* Effect.forEach(made, (one) => waitOf(id, one.id))
        assert.isUndefined(seen.find(([, reason]) => reason === "insufficient_wallet"))
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  it.effect("spreads what is asked for at once, too", () => {
    const fake = fakeNetwork({ network })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { first, id, second } = yield* payerOfTwo(fake, 50_000_000_000n)
      const made = yield* Effect.forEach([1, 2, 3, 4], (n) => pay(id, network, n))
      yield* Effect.forkScoped(sending(fake))
      yield* thrice
      const told = yield* toldFrom(id, made)
      assert.sameMembers([...new Set(told)], [first.address, second.address])
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  for (const second of [false, true])
    it.effect(`pays in the order in which was asked, also while the other has nothing (${second})`, () => {
      const fake = fakeNetwork({ network })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = second ? yield* payerOfTwo(fake, 0n) : yield* payer(network, fake)
        yield* Effect.forkScoped(sending(fake, () => Effect.void, { ...defaultSendLimits, underWayMax: 1 }))
        const made: Array<Operation> = []
        for (let n = 1; n <= 12; n++) {
          made.push(yield* pay(id, network, n))
          if (n <= 4) continue
          yield* blocks(fake, 15)
        }
        const order = fake.chain().map(({ payments }) => payments[0]?.to)
        assert.deepStrictEqual(
          order,
          order.map((_, n) => receiver(network, n + 1))
        )
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })

  it.effect("pays from the other while the custody of the one answers nothing", () => {
    const fake = fakeNetwork({ network })
    let away = ""
    const signer = silentFor(fake, () => away)
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { first, id } = yield* payerOfTwo(fake, 50_000_000_000n)
      away = first.address
      yield* Effect.forkScoped(sending(fake))
      const made: Array<Operation> = []
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
        made.push(yield* pay(id, network, n))
        yield* blocks(fake, 10)
      }
      yield* blocks(fake, 60)
      const seen = yield* Effect.forEach(made, (one) => waitOf(id, one.id))
      assert.isTrue(seen.filter(([phase]) => phase !== "FINAL").length <= 1)
    }).pipe(Effect.provide(processOver(emptyState(), { ...fake, signer })))
  })

  it.effect("pays half of what is asked for at once while the custody of the one answers nothing", () => {
    const fake = fakeNetwork({ network })
    let away = ""
    const signer = silentFor(fake, () => away)
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { first, id } = yield* payerOfTwo(fake, 50_000_000_000n)
      away = first.address
      const made: Array<Operation> = []
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
        made.push(yield* pay(id, network, n))
      }
      yield* Effect.forkScoped(sending(fake))
      yield* blocks(fake, 60)
      const seen = yield* Effect.forEach(made, (one) => waitOf(id, one.id))
      assert.isTrue(seen.filter(([phase]) => phase !== "FINAL").length <= 4)
    }).pipe(Effect.provide(processOver(emptyState(), { ...fake, signer })))
  })
})
