import { accountOfPublicKey, makeStellarReader, muxed } from "@bursar/stellar"
import { realNode } from "@bursar/testkit/fixtures/realNode"
import { chainReaderSuite } from "@bursar/testkit/suites/chainReaderSuite"
import { chainSenderSuite } from "@bursar/testkit/suites/chainSenderSuite"
import { assert, describe, layer } from "@effect/vitest"
import { Asset, Keypair, Operation } from "@stellar/stellar-sdk/base"
import { Effect, Redacted } from "effect"
import { core, horizon, HorizonNode } from "./support/HorizonNode.ts"
import { horizonChainWorld, horizonSenderWorld } from "./support/HorizonWorlds.ts"

/** Ledgers may close by themselves only every five seconds, and what expires is waited for. */
const timeoutMs = 180_000

const rpc = realNode("STELLAR_RPC_URL")

// All in one file, so one after the other: they spend from one account, and close the ledgers of one network.
describe.skipIf(horizon.found === undefined)(`Horizon${horizon.skipped}`, () => {
  chainReaderSuite("stellar on Horizon", horizonChainWorld, {
    has: ["token", "memo", "sendTwice", "tokenTwice"],
    timeoutMs
  })

  // What is broadcast must wait until a test says otherwise.
  describe.skipIf(core.found === undefined)(`whose ledgers close when told to${core.skipped}`, () => {
    chainSenderSuite("stellar on Horizon", horizonSenderWorld, {
      has: ["token", "memo", "noop", "replacement", "rival", "expiry", "revert", "sequence"],
      timeoutMs
    })
  })

  layer(HorizonNode.layer, { excludeTestServices: true, timeout: timeoutMs })("a private network of stellar", (it) => {
    const reader = Effect.map(HorizonNode, ({ asset, networkPassphrase, url }) =>
      makeStellarReader({ horizonUrl: Redacted.make(url), networkPassphrase, assets: [asset.toString()] })
    )

    it.effect(
      "takes a key for that of the account of its public key, and pays parts of it by the addresses that are made here",
      () =>
        Effect.gen(function* () {
          const { account, bank, submit } = yield* HorizonNode
          const key = yield* account
          const address = accountOfPublicKey(key.rawPublicKey())
          const parts = [0n, 7n, 2n ** 64n - 1n].map((id) => muxed(address, id))
          const payments = parts.map((destination) =>
            Operation.payment({ destination, asset: Asset.native(), amount: "1" })
          )
          const { ledgerHash } = yield* submit(bank, payments)
          const { transfers } = yield* (yield* reader).block(ledgerHash)
          assert.deepStrictEqual(
            transfers.map(({ to }) => to),
            parts
          )
          const back = Operation.payment({ destination: bank.publicKey(), asset: Asset.native(), amount: "2" })
          const spent = (yield* (yield* reader).block((yield* submit(key, [back])).ledgerHash)).transfers
          assert.deepStrictEqual(
            spent.map(({ from, units }) => [from, units]),
            [[address, 2_0000000n]]
          )
        }),
      timeoutMs
    )

    it.effect(
      "reads accounts that are made and merged, and path payments by what arrives",
      () =>
        Effect.gen(function* () {
          const { account, asset, bank, submit } = yield* HorizonNode
          const made = Keypair.random()
          const receiver = (yield* account).publicKey()
          const first = yield* submit(bank, [
            Operation.createAccount({ destination: made.publicKey(), startingBalance: "5" }),
            Operation.pathPaymentStrictSend({
              sendAsset: asset,
              sendAmount: "3",
              destination: receiver,
              destAsset: asset,
              destMin: "3"
            })
          ])
          const second = yield* submit(made, [Operation.accountMerge({ destination: muxed(receiver, 4n) })])
          const chain = yield* reader
          const transfers = yield* Effect.forEach([first, second], ({ ledgerHash }) =>
            Effect.map(chain.block(ledgerHash), ({ transfers: all }) =>
              all.map(({ contract, to, units }) => [contract, to, units])
            )
          )
          const [created, merged] = transfers
          assert.deepStrictEqual(created, [
            [null, made.publicKey(), 5_0000000n],
            [asset.toString(), receiver, 3_0000000n]
          ])
          // What the merge cost is taken off first.
          assert.lengthOf(merged ?? [], 1)
          assert.deepStrictEqual(merged?.[0]?.slice(0, 2), [null, muxed(receiver, 4n)])
          assert.isBelow(Number(merged?.[0]?.[2]), 5_0000000)
        }),
      timeoutMs
    )

    it.effect.skipIf(rpc.found === undefined)(
      `finds Horizon and Stellar RPC to be of one network${rpc.skipped}`,
      () =>
        Effect.gen(function* () {
          const { networkPassphrase, url } = yield* HorizonNode
          const options = {
            horizonUrl: Redacted.make(url),
            rpcUrl: Redacted.make(rpc.found ?? ""),
            networkPassphrase,
            assets: []
          }
          yield* makeStellarReader(options).verifyChain
          const other = makeStellarReader({ ...options, networkPassphrase: "another" })
          assert.strictEqual((yield* Effect.flip(other.verifyChain)).reason, "other_chain")
        }),
      timeoutMs
    )
  })
})
