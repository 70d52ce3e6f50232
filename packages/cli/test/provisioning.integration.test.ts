import { seedOf } from "./support/seedOf.ts"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { StellarDevnet } from "@bursar/simulator-stellar"
import { type Place, provisioningPlaces, watchedNetworks } from "@bursar/testkit/fixtures/Places"
import { defaultSendLimits } from "@bursar/worker/transactions/SendLimits"
import * as Sender from "@bursar/worker/sender/Sender"
import { watchNetwork } from "@bursar/worker/watch/watchNetwork"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { NetworkSettings } from "../src/config/NetworkSettings.ts"
import { addChannel, issue, portsOver } from "./support/ports.ts"
import { signingTenant } from "./support/signedPayouts.ts"
import { untilNoDifference } from "./support/untilNoDifference.ts"
import { until } from "./support/until.ts"
import { migratedDatabase } from "./support/world.ts"
import { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { localCurrencies } from "./support/localCurrencies.ts"

const network = "stellar"
const currencies = localCurrencies
const assets = currencies.contracts(network)
const limits = { ...defaultSendLimits, idleMs: 100, checkFirstMs: 300, checkLongestMs: 2_000, retryFirstMs: 300 }
const utxo = 10_000_000n

/** A database, a network of stellar, the vault and the ports of all of them. */
const world = Effect.gen(function* () {
  const [database, devnet] = yield* Effect.all([migratedDatabase, StellarDevnet.make()], { concurrency: 2 })
  const settings: ReadonlyArray<NetworkSettings> = [
    {
      family: "stellar",
      network,
      horizonUrl: Redacted.make(devnet.horizonUrl),
      rpcUrl: null,
      networkPassphrase: devnet.networkPassphrase,
      pollIntervalMs: 200
    }
  ]
  return { devnet, ports: portsOver(database.url, settings) }
})

/** What an account is given for its fees. */
const forFees = 10_000_000n

/** What an account that addresses are issued from lacks, by the chain. */
const needOf = Effect.fnUntraced(function* (address: string) {
  const { provisioner } = adapterOf(yield* Networks, network).sender.planner
  if (provisioner === undefined) return assert.fail("accounts need nothing")
  return (yield* provisioner.look({ address, role: "ISSUING" }, assets, 0n)).need
})

const untilReady = Effect.fnUntraced(function* (id: TenantId, count: number) {
  const queries = yield* Queries
  yield* until(
    `${count} accounts are ready`,
    queries.records(id, AccountProvisioning, network),
    (all) => all.length === count && all.every(({ ready }) => ready)
  )
})

/** What the outbound transactions of a tenant have moved to an account of the ledger. */
const movedTo = Effect.fnUntraced(function* (id: TenantId, account: string) {
  const queries = yield* Queries
  const transactions = yield* queries.records(id, OutboundTransaction)
  const legs = (yield* Effect.forEach(transactions, (transaction) => queries.legs(id, transaction.id))).flat()
  return legs
    .filter((leg) => leg.account === account)
    .reduce((sum, { direction, units }) => sum + (direction === "DEBIT" ? units : -units), 0n)
})

describe("setting accounts up on a stellar network", () => {
  it.live(
    "ends with a wallet and an issuing account that can take dollars, each step made once, wherever the process dies",
    () =>
      Effect.gen(function* () {
        const { devnet, ports } = yield* world
        const { chain, pay } = devnet.faucet
        const [usdc = ""] = assets
        assert.strictEqual(usdc, devnet.usdc)
        yield* Effect.gen(function* () {
          const { id, pay: payOut, wallet } = yield* signingTenant(network)
          const queries = yield* Queries
          yield* Effect.forkScoped(watchNetwork({ adapter: adapterOf(yield* Networks, network), currencies }))
          const died = new Set<Place>()
          const crash = (name: Place) =>
            Effect.suspend(() => {
              const dies = !died.has(name)
              died.add(name)
              return dies ? Effect.die(new Error(`crashed at ${name}`)) : Effect.void
            })
          yield* Effect.forkScoped(watchedNetworks(crash)(Sender.run({ currencies, limits })))
          // nothing is there yet that could be set up
          yield* until("the lack of coin is noted", queries.records(id, AccountProvisioning, network), ([setup]) =>
            /needs \d+ more units of the native asset to exist/u.test(setup?.problem ?? "")
          )
          const funded = yield* pay(wallet.address, "native", 100n * utxo)
          assert.isDefined(funded.found)
          yield* untilReady(id, 1)
          yield* pay(wallet.address, usdc, 50n * utxo)
          const channels = [
            yield* addChannel(id, seedOf(wallet), network, 1),
            yield* addChannel(id, seedOf(wallet), network, 2)
          ]
          const { account, addresses } = yield* issue(id, seedOf(wallet), network, 2)
          yield* untilReady(id, 4)
          assert.containsAllKeys(Object.fromEntries([...died].map((name) => [name, true])), [
            ...provisioningPlaces,
            "build.after",
            "sign.after",
            "signed.stored",
            "broadcast.after",
            "status.stored"
          ])

          const accounts = chain.accounts(chain.head().sequence)
          const issuing = accounts.get(account.accountKey)
          const given = 3n * 5_000_000n + forFees
          assert.strictEqual(issuing?.balance, given)
          assert.isTrue(issuing?.trustlines.has(usdc))
          for (const { address } of channels) {
            const held = accounts.get(address)?.balance ?? 0n
            assert.isAtMost(Number(held), Number(utxo + forFees))
            assert.isAtLeast(Number(held), Number(utxo + forFees) - 1_000)
          }
          assert.deepStrictEqual(yield* needOf(account.accountKey), { _tag: "Nothing" })
          assert.strictEqual(yield* movedTo(id, "chain:stellar:deposits"), given)
          const transactions = yield* queries.records(id, OutboundTransaction)
          assert.sameMembers(
            transactions.filter(({ outcome }) => outcome === "done").map(({ purpose }) => purpose),
            ["PROVISIONING", "CHANNEL", "CHANNEL", "TOP_UP", "PROVISIONING"]
          )
          assert.strictEqual(
            yield* movedTo(id, "network_fees"),
            transactions.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n)
          )

          const part = addresses[1]?.address ?? ""
          yield* pay(part, usdc, 7n * utxo)
          const [deposit] = yield* until(
            "the dollars are a deposit",
            queries.deposits(id, { after: 0, limit: 10 }),
            (all) => all.some(({ status }) => status === "CONFIRMED")
          )
          assert.deepInclude(deposit, { address: part, currency: "USDC_XLM", units: 7n * utxo, status: "CONFIRMED" })
          // what was deposited is the tenant's: it pays some of it out, through an account that lends its number
          const out = yield* payOut("USDC_XLM", "2", devnet.fundedAddress)
          const paid = yield* until(
            "the payout is settled",
            queries.operation(id, out.id),
            (one) => one?.status === "SETTLED"
          )
          const transaction = (yield* queries.records(id, OutboundTransaction)).find(({ hashes }) =>
            hashes.includes(paid?.txHash ?? "")
          )
          assert.include(
            channels.map((channel) => channel.id),
            transaction?.counterId
          )
          const results = yield* (yield* LedgerSnapshot).snapshot(id, checkTenant)
          for (const { firstWrong, invariant } of results) assert.isNull(firstWrong, invariant)
          yield* untilNoDifference
        }).pipe(Effect.provide(ports))
      }).pipe(Effect.scoped),
    180_000
  )
})
