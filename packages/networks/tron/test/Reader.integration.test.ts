import { tokens } from "@bursar/simulator-tron/contracts"
import { TransferIndex } from "@bursar/tron"
import type { Mined } from "@bursar/testkit/suites/chain/ChainWorld"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TronWeb } from "tronweb"
import { inHex, pinned, World } from "./support/World.ts"

const [usdt, usdc, counterfeit] = tokens

/** What the block of a transaction moved to an address, in short. */
const movedTo = (to: string, { blockHash, txHash }: Mined) =>
  Effect.gen(function* () {
    const { chain } = yield* World
    const { transfers } = yield* chain.block(blockHash)
    return transfers
      .filter((transfer) => transfer.txHash === txHash && transfer.to === to)
      .map(({ contract, transferIndex, units }) => [contract, transferIndex, units] as const)
  })

layer(World.layer, { excludeTestServices: true })("TronReader on the local network", (it) => {
  it.effect("knows the network by its first block", () =>
    Effect.gen(function* () {
      const { chain, reader } = yield* World
      yield* chain.verifyChain
      const other = reader({ genesisBlockId: "00".repeat(32) })
      assert.strictEqual((yield* Effect.flip(other.verifyChain)).reason, "other_chain")
    })
  )

  it.effect("finds TRX to the last sun, beyond what a JavaScript number holds", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      const units = 9_007_199_254_740_993n
      const sent = yield* mined(devnet.faucet.sendNative(inHex(to), units))
      assert.deepStrictEqual(yield* movedTo(to, sent), [[null, TransferIndex.native, units]])
    })
  )

  it.effect("finds each pinned token by its contract", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      for (const [index, token] of [usdt!, usdc!].entries()) {
        const sent = yield* mined(devnet.faucet.transfer(token, inHex(to), 9_007_199_254_740_993n))
        assert.deepStrictEqual(yield* movedTo(to, sent), [[pinned[index]!, 0, 9_007_199_254_740_993n]])
      }
    })
  )

  it.effect("does not report a token that is not pinned, whatever its name, nor a transfer of nothing", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, mined } = yield* World
      const to = yield* address
      for (const [token, units] of [
        [counterfeit!, 5n],
        [usdt!, 0n]
      ] as const) {
        const { blockHash } = yield* mined(devnet.faucet.transfer(token, inHex(to), units))
        assert.deepStrictEqual((yield* chain.block(blockHash)).transfers, [])
      }
    })
  )

  it.effect("finds what a contract hands on, each payment by itself, and what it was paid", () =>
    Effect.gen(function* () {
      const { address, chain, split } = yield* World
      const [first, second] = [yield* address, yield* address]
      const sent = yield* split([first, second, first], [3n, 4n, 5n])
      assert.deepStrictEqual(yield* movedTo(first, sent), [
        [null, TransferIndex.internalFirst, 3n],
        [null, TransferIndex.internalFirst + 2, 5n]
      ])
      assert.deepStrictEqual(yield* movedTo(second, sent), [[null, TransferIndex.internalFirst + 1, 4n]])
      const { transfers } = yield* chain.block(sent.blockHash)
      assert.deepStrictEqual(
        transfers.filter(({ transferIndex }) => transferIndex === TransferIndex.native).map(({ units }) => units),
        [12n]
      )
    })
  )

  it.effect("finds nothing in transactions that failed", () =>
    Effect.gen(function* () {
      const { address, chain, devnet } = yield* World
      const to = yield* address
      const wallet = new TronWeb({ fullHost: devnet.nodeUrl, privateKey: devnet.fundedKey })
      const send = (amount: string, feeLimit: number) =>
        Effect.promise(async () => {
          const { transaction } = await wallet.transactionBuilder.triggerSmartContract(
            pinned[0] ?? "",
            "transfer(address,uint256)",
            { feeLimit, txLocal: true },
            [
              { type: "address", value: to },
              { type: "uint256", value: amount }
            ]
          )
          return (await wallet.trx.sendRawTransaction(await wallet.trx.sign(transaction))).txid
        })
      for (const [amount, feeLimit, ret] of [
        ["5", 1_000_000, "OUT_OF_ENERGY"],
        ["9".repeat(40), 100_000_000, "REVERT"]
      ] as const) {
        const found = devnet.faucet.chain.find(yield* send(amount, feeLimit))
        assert.isDefined(found)
        assert.strictEqual(found.executed.receipt.contractRet, ret)
        assert.deepStrictEqual((yield* chain.block(found.block.id)).transfers, [])
      }
    })
  )

  it.effect("counts by solidity, or by depth where that is configured", () =>
    Effect.gen(function* () {
      const { chain, devnet, reader } = yield* World
      yield* devnet.faucet.mine(6)
      const { latest, ...solid } = yield* chain.tip
      assert.strictEqual(solid.confirmed, latest.number - 2)
      assert.strictEqual(chain.requiredConfirmations, 19)
      const byDepth = reader({ confirmations: 5 })
      assert.strictEqual((yield* byDepth.tip).confirmed, latest.number - 4)
      assert.strictEqual(byDepth.requiredConfirmations, 5)
      assert.strictEqual((yield* reader({ confirmations: 10_000 }).tip).confirmed, -1)
    })
  )

  it.effect("asks three questions for a block", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, mined } = yield* World
      const { blockHash } = yield* mined(devnet.faucet.sendNative(inHex(yield* address), 1n))
      const before = yield* devnet.faults.seen
      yield* chain.block(blockHash)
      const after = yield* devnet.faults.seen
      const asked = Object.entries(after).flatMap(([endpoint, count]) =>
        count > (before[endpoint] ?? 0) ? [[endpoint, count - (before[endpoint] ?? 0)]] : []
      )
      assert.sameDeepMembers(asked, [
        ["getblockbyid", 1],
        ["gettransactioninfobyblocknum", 1],
        ["getblock", 1]
      ])
    })
  )

  it.effect("does not show a key in an error", () =>
    Effect.gen(function* () {
      const { reader } = yield* World
      const chain = reader({
        nodeUrl: Redacted.make("http://user:passw0rd@127.0.0.1:1/v1/0123456789abcdef?token=fedcba9876543210"),
        apiKey: Redacted.make("a-key-of-trongrid")
      })
      const { message } = yield* Effect.flip(chain.tip)
      for (const secret of ["passw0rd", "0123456789abcdef", "fedcba9876543210", "a-key-of-trongrid"]) {
        assert.notInclude(message, secret)
      }
    })
  )

  it.effect("refuses a configuration that cannot be meant", () =>
    Effect.gen(function* () {
      const { reader } = yield* World
      for (const options of [
        { contracts: ["41a614f803b6fd780986a42c78ec9c7f77e6ded13c"] },
        { nodeUrl: Redacted.make("ftp://node") },
        { solidityUrl: Redacted.make("node") },
        { confirmations: 0 },
        { pollIntervalMs: -1 }
      ]) {
        assert.throws(() => reader(options))
      }
    })
  )
})
