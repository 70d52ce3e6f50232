import { seedOf } from "@bursar/testkit/fixtures/seedOf"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { accountAt, keyed } from "@bursar/testkit/fixtures/deposits"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import type { FakeAnswer, FakeSender, FakeSenderOptions } from "@bursar/testkit/fixtures/FakeSender"
import { fakeNetwork } from "../fakeNetwork.ts"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { seeded } from "@bursar/testkit/fixtures/seeded"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { type Place, provisioningPlaces } from "@bursar/testkit/fixtures/Places"
import { allOver, ledgerHolds, mineUntil, pay, payer, processOver, sending, submit, tick } from "./world.ts"
import { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"

const network = "stellar"
const assets = defaultCurrencies.contracts(network)
const issuing = "G-issuing"
const channels = ["G-channel-1", "G-channel-2", "G-channel-3"]
const keepsPerAsset = 5_000_000n
/** What an account is given for its fees. */
const forFees = 10_000_000n
const forChannel = 2n * keepsPerAsset + forFees
const forIssuing = (2n + BigInt(assets.length)) * keepsPerAsset + forFees

const fakeStellar = (more: Pick<FakeSenderOptions, "answers"> = {}) =>
  fakeNetwork({ network, finality: 1, accounts: true, ...more })

const issue = (seedId: string) =>
  issueAddresses(
    {
      network,
      reference: "customer",
      count: 1,
      prederived: { from: 0, addresses: [keyed("M-1")], seedId, ...accountAt(issuing) }
    },
    presetNetworks
  )

const provisioningsOf = Effect.fnUntraced(function* (tenantId: TenantId) {
  const queries = yield* Queries
  return yield* queries.records(tenantId, AccountProvisioning, network)
})

const allReady = (tenantId: TenantId, count: number) =>
  Effect.map(provisioningsOf(tenantId), (all) => all.length === count && all.every(({ ready }) => ready))

/** What an account was given on the chain, each time that it was. */
const givenTo = (fake: FakeSender, account: string): ReadonlyArray<bigint> =>
  fake
    .chain()
    .flatMap(({ payments }) => payments)
    .filter(({ to }) => to === account)
    .map(({ units }) => units)

const agreements = (fake: FakeSender, account: string): ReadonlyArray<string> =>
  fake
    .chain()
    .filter(({ from }) => from === account)
    .flatMap(({ trustlines }) => trustlines)

const chainBalance = Effect.fnUntraced(function* (tenantId: TenantId, account: string) {
  const queries = yield* Queries
  const all = yield* queries.records(tenantId, OutboundTransaction)
  const legs = yield* Effect.forEach(all, ({ id }) => queries.legs(tenantId, id))
  return legs
    .flat()
    .filter((leg) => leg.account === account)
    .reduce((sum, { direction, units }) => sum + (direction === "DEBIT" ? units : -units), 0n)
})

/** Everything of a tenant is set up, once, and booked. */
const isSetUp = Effect.fnUntraced(function* (tenantId: TenantId, wallet: string, fake: FakeSender) {
  assert.deepStrictEqual(agreements(fake, wallet), assets)
  assert.deepStrictEqual(agreements(fake, issuing), assets)
  for (const channel of channels) assert.deepStrictEqual(givenTo(fake, channel), [forChannel])
  assert.deepStrictEqual(givenTo(fake, issuing), [forIssuing])
  assert.strictEqual(yield* chainBalance(tenantId, "chain:stellar:deposits"), forIssuing)
  yield* ledgerHolds(tenantId)
})

describe("setting accounts up", () => {
  it.effect(
    "makes the accounts that lend numbers and the one that issues, lets wallet and issuer agree, and books it",
    () => {
      const fake = fakeStellar()
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id, wallet } = yield* payer(network, fake)
        yield* submit(id, issue(seedOf(wallet)))
        yield* Effect.forkScoped(sending(fake))
        yield* mineUntil(fake, "all accounts are ready", allReady(id, 5))
        yield* isSetUp(id, wallet.address, fake)
        const queries = yield* Queries
        const transactions = yield* queries.records(id, OutboundTransaction)
        assert.sameMembers(
          transactions.map(({ purpose }) => purpose),
          ["PROVISIONING", "CHANNEL", "CHANNEL", "CHANNEL", "TOP_UP", "PROVISIONING"]
        )
        // each transaction cost 10, borne by the service
        assert.strictEqual(yield* chainBalance(id, "network_fees"), 60n)
        assert.strictEqual(yield* chainBalance(id, "chain:stellar:payouts"), -60n - forIssuing)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    }
  )

  it.effect("makes those of others while a node keeps a question about one account waiting", () => {
    const slow = "G-slow"
    let asked = 0
    const fake = fakeStellar({
      answers: (usual) => ({
        accountState: (address, all) =>
          address === slow
            ? Effect.andThen(
                Effect.sync(() => void asked++),
                Effect.never
              )
            : usual.accountState(address, all)
      })
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const first = yield* newTenant()
      const found = { network, role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(slow) } as const
      yield* submit(first.id, addWallet(found, presetNetworks))
      yield* Effect.forkScoped(sending(fake))
      yield* tick
      assert.strictEqual(asked, 1)
      const { id } = yield* payer(network, fake)
      yield* mineUntil(fake, "all accounts are ready", allReady(id, 4), 60)
      assert.strictEqual(asked, 1)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("asks the chain no more than once an hour where all is ready, and at once for what is added", () => {
    let asked = 0
    const fake = fakeStellar({
      answers: (usual) => ({
        accountState: (address, all) =>
          Effect.andThen(
            Effect.sync(() => void asked++),
            usual.accountState(address, all)
          )
      })
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id, wallet } = yield* payer(network, fake)
      yield* Effect.forkScoped(sending(fake))
      yield* mineUntil(fake, "all accounts are ready", allReady(id, 4))
      asked = 0
      yield* TestClock.adjust("50 minutes")
      yield* tick
      assert.strictEqual(asked, 0)
      yield* submit(id, issue(seedOf(wallet)))
      yield* mineUntil(fake, "the issuing account is ready", allReady(id, 5), 60)
      asked = 0
      yield* TestClock.adjust("61 minutes")
      yield* tick
      assert.strictEqual(asked, 5)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("names an asset without an issuer, and sets up and pays for all else", () => {
    const [dead = "", ...alive] = assets
    const fake = fakeStellar({
      answers: (usual) => ({
        accountState: (address, all) =>
          Effect.map(usual.accountState(address, all), (state) => ({
            ...state,
            missing: state.missing.filter((one) => one !== dead),
            unissued: state.missing.filter((one) => one === dead)
          }))
      })
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id, wallet } = yield* payer(network, fake)
      yield* submit(id, issue(seedOf(wallet)))
      yield* Effect.forkScoped(sending(fake))
      const blocked = [issuing, wallet.address]
      const isDone = Effect.map(
        provisioningsOf(id),
        (all) => all.length === 5 && all.every(({ problem, ready }) => ready || problem?.includes(dead) === true)
      )
      yield* mineUntil(fake, "all is set up that can be", isDone)
      const waiting = (yield* provisioningsOf(id)).filter(({ ready }) => !ready)
      assert.sameMembers(
        waiting.map(({ address }) => address),
        blocked
      )
      for (const address of blocked) assert.deepStrictEqual(agreements(fake, address), alive)
      for (const channel of channels) assert.deepStrictEqual(givenTo(fake, channel), [forChannel])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("says once what is missing, and goes on when coin has come", () => {
    const fake = fakeStellar()
    const told: Array<string> = []
    const logger = Logger.make(({ fiber, message }) => {
      const { problem } = fiber.getRef(References.CurrentLogAnnotations)
      if (typeof problem === "string") told.push(`${String(message)}: ${problem}`)
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* newTenant()
      const seedId = crypto.randomUUID()
      yield* submit(id, issue(seedId))
      yield* Effect.forkScoped(Effect.provide(sending(fake), Logger.layer([logger])))
      yield* tick
      assert.lengthOf(told, 1)
      assert.match(told[0] ?? "", /no payout wallet/u)
      yield* submit(id, addWallet({ network, role: "PAYOUT", seedId, index: 0, ...keyed("G-wallet") }, presetNetworks))
      for (let n = 0; n < 30; n++) yield* tick
      assert.lengthOf(told, 2)
      assert.match(told[1] ?? "", /G-wallet needs 17000000 more units of the native asset to exist/u)
      fake.fund("G-wallet", null, 30_000_000n)
      yield* mineUntil(
        fake,
        "the wallet is ready",
        Effect.map(provisioningsOf(id), (all) => all.some(({ ready }) => ready))
      )
      for (let n = 0; n < 30; n++) yield* tick
      assert.lengthOf(told, 3)
      assert.match(told[2] ?? "", /G-issuing.*send the wallet G-wallet enough to have 27000000 units free/u)
      fake.fund("G-wallet", null, 100_000_000n)
      yield* mineUntil(fake, "all accounts are ready", allReady(id, 2))
      assert.lengthOf(told, 3)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

const reached = new Set<Place>()

const answers: ReadonlyArray<FakeAnswer> = ["takes", "takes", "loses_reply", "drops", "refuses"]

/** How many lives are tried; more with CHAOS_SEEDS. */
const seeds = Number(process.env["CHAOS_SEEDS"] ?? "16")

describe("setting accounts up while everything goes wrong", () => {
  for (let seed = 1; seed <= seeds; seed++) {
    it.effect(`does each step once beside payouts, wherever processes die (seed ${seed})`, () => {
      const random = seeded(seed)
      const fake = fakeStellar()
      const state = emptyState()
      const faulty = { now: true }
      const crash = (name: Place) =>
        Effect.suspend(() => {
          reached.add(name)
          return faulty.now && random(15) === 0 ? Effect.die(new Error(`crashed at ${name}`)) : Effect.void
        })
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id, wallet } = yield* payer(network, fake)
        const made: Array<Operation> = []
        const start = Effect.suspend(() =>
          Effect.forkScoped(Effect.provide(sending(fake, crash), processOver(state, fake)))
        )
        let worker = yield* start
        for (let step = 0; step < 80; step++) {
          const now = yield* Clock.currentTimeMillis
          switch (random(9)) {
            case 0:
              if (made.length < 6) made.push(yield* pay(id, network, made.length))
              break
            case 1:
              fake.forget()
              break
            case 2:
              fake.fail(random(4))
              break
            case 3:
              fake.answers(Array.from({ length: random(4) }, () => answers[random(answers.length)] ?? "takes"))
              break
            case 4: {
              const other = fake.waiting()[0]
              if (other !== undefined && random(4) === 0) fake.rival(other.guard, now)
              break
            }
            case 5: {
              const next = yield* start
              yield* Fiber.interrupt(worker)
              worker = next
              break
            }
            default:
              fake.mine(now)
          }
          if (step === 20) yield* submit(id, issue(seedOf(wallet)))
          yield* TestClock.adjust(`${random(3) * 700} millis`)
          yield* Effect.forEach(Array.from({ length: random(60) }), () => Effect.yieldNow, { discard: true })
        }
        faulty.now = false
        fake.fail(0)
        fake.answers([])
        yield* mineUntil(fake, "all accounts are ready", allReady(id, 5), 1_500)
        yield* mineUntil(fake, "all payouts are over", allOver(id, made))
        yield* isSetUp(id, wallet.address, fake)
      }).pipe(Effect.provide(processOver(state, fake)))
    })
  }

  it("has come by every place at which a process can die", () => {
    for (const name of provisioningPlaces) assert.isTrue(reached.has(name), name)
  })
})
