import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import { of } from "@bursar/core/money/Amount"
import { makeCurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { makeNetworkTable } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { Operation } from "@bursar/core/operation/Operation"
import { createPayout } from "@bursar/core/payout/createPayout"
import { readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import { adapterOf, makeNetworks, Networks, parseAddress } from "@bursar/core/port/Networks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { emptyState } from "@bursar/memory"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { makeFakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { sendNetwork } from "../src/sender/sendNetwork.ts"
import { watchNetwork } from "../src/watch/watchNetwork.ts"
import { toyAddress, toylandOver, traits } from "./toyland.ts"
import { allOver, mineUntil, operationsOf, processOver, quick, submit, timesPaid } from "./transactions/world.ts"
import { available, begin, untilStatuses } from "./watch/world.ts"

const currencies = makeCurrencyTable(
  [
    ...defaultCurrencies.all,
    { code: "TOY", name: "Toy", kind: "COIN", decimals: 4, asset: { network: "toyland", contract: null } }
  ],
  makeNetworkTable([...presetNetworks.all, traits])
)

const chain = makeFakeChain({ network: "toyland", firstBlockTime: past })
const fake = makeFakeSender({ network: "toyland", traits })

const toyland = toylandOver({ reader: chain.reader, sender: fake.sender })

const ports = Layer.succeed(Networks, makeNetworks([toyland]))

const wallet = toyAddress("wallet")

it.effect(
  "a network of a test alone takes deposits and pays, by its traits and its adapter, and the books are right",
  () =>
    Effect.gen(function* () {
      yield* begin
      const { id } = yield* newTenant({ policy: { ...defaultPolicy, payoutMinimums: { TOY: "0" } } })
      const networks = yield* Networks
      const { keys: toyKeys, sender } = adapterOf(networks, "toyland")

      const address = Result.getOrThrow(parseAddress(networks, "toyland", toyAddress("customer")))
      assert.isTrue(Result.isFailure(parseAddress(networks, "toyland", "0x1")))
      assert.isTrue(Result.isFailure(parseAddress(networks, "ethereum", toyAddress("customer"))))
      const item = {
        _tag: "Valid" as const,
        network: "toyland",
        address,
        keys: toyKeys.keysOf(address),
        reference: "customer",
        watchFrom: null,
        watchFromBlock: null
      }
      yield* submit(id, registerAddresses([item]))
      yield* Effect.forkScoped(watchNetwork({ adapter: toyland, currencies }))
      chain.mine([transferTo(address, 70_000n)])
      yield* untilStatuses(id, "DETECTED")
      chain.mineMany(3)
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id, "TOY"), 70_000n)

      const seedId = crypto.randomUUID()
      const keys = toyKeys.keysOf(wallet)
      yield* submit(
        id,
        addWallet({ network: "toyland", role: "PAYOUT", seedId, index: 0, address: wallet, keys }, currencies.networks)
      )
      fake.fund(wallet, null, 50_000n)
      const funded = of(50_000n, "TOY")
      yield* submit(id, adjustFloat({ amount: funded, against: "chain:toyland:payouts", reason: "funded" }, currencies))
      const order = Result.getOrThrow(
        readPayoutOrder(
          {
            amount: { amount: "1.25", currency: "TOY" },
            network: "toyland",
            destination: { address: toyAddress("receiver"), memo: null }
          },
          currencies,
          networks
        )
      )
      const made: Array<Operation> = []
      yield* submit(
        id,
        idempotent({
          key: "payout",
          endpoint: "POST /v1/chain-payouts",
          fingerprint: "payout",
          resourceId: (operation) => operation.id,
          render: (operation) => {
            made.push(operation)
            return { id: operation.id }
          },
          command: createPayout({
            order,
            account: order.to,
            reference: "payout",
            tenant: null,
            defaultFees: [flatFee(100n, currencies.byCode(order.currency)?.decimals ?? 0)],
            usd: { price: { units: 1n, decimals: 0 }, source: "test", observedAt: past },
            switchedOff: null,
            evidence: { keyid: "k", signatureBase: "b", signature: "s", body: "e30=" },
            madeBy: "maker",
            currencies
          })
        })
      )
      yield* Effect.forkScoped(sendNetwork({ sender, currencies, limits: quick }))
      yield* mineUntil(fake, "the payout is over", allOver(id, made))
      assert.deepStrictEqual(
        (yield* operationsOf(id, made)).map(({ status }) => status),
        ["SETTLED"]
      )
      assert.strictEqual(timesPaid(fake, toyAddress("receiver")), 1)

      const found = yield* (yield* LedgerSnapshot).snapshot(id, (ledger) => checkTenant(ledger, { currencies }))
      for (const { firstWrong, invariant } of found) assert.isNull(firstWrong, invariant)
    }).pipe(Effect.provide(Layer.merge(processOver(emptyState(), fake), ports)))
)
