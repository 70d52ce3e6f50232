import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { base58Of } from "../src/address.ts"
import { firstTransferEnergy, tokens, transferEnergy } from "../src/contracts.ts"
import { ask, attempt, contractAt, Tron } from "./support.ts"

const [usdt, usdc] = tokens.map(({ address }) => base58Of(address))

layer(Tron.layer(), { excludeTestServices: true })("stock tronweb on the local node", (it) => {
  it.effect("sends TRX and reads it back, with what a new account costs", () =>
    Effect.gen(function* () {
      const { devnet, stranger, wallet } = yield* Tron
      const to = yield* stranger
      const before = yield* attempt(() => wallet.trx.getUnconfirmedBalance(devnet.fundedAddress))
      const sent = yield* attempt(() => wallet.trx.sendTransaction(to, 1_500_000))
      assert.strictEqual(sent.result, true)
      const id = sent.transaction.txID
      assert.strictEqual(sent.txid, id)
      const info = yield* attempt(() => wallet.trx.getUnconfirmedTransactionInfo(id))
      assert.strictEqual(info.fee, 1_100_000)
      assert.strictEqual(info.receipt.net_fee, 100_000)
      assert.strictEqual(yield* attempt(() => wallet.trx.getUnconfirmedBalance(to)), 1_500_000)
      assert.strictEqual(
        before - (yield* attempt(() => wallet.trx.getUnconfirmedBalance(devnet.fundedAddress))),
        2_600_000
      )
      const read = yield* attempt(() => wallet.trx.getTransaction(id))
      assert.deepStrictEqual(read.ret, [{ contractRet: "SUCCESS" }])
      assert.strictEqual(read.raw_data_hex, sent.transaction.raw_data_hex)
    })
  )

  it.effect("shows as confirmed what is solidified, and nothing above", () =>
    Effect.gen(function* () {
      const { devnet, stranger, wallet } = yield* Tron
      const to = yield* stranger
      const { transaction } = yield* attempt(() => wallet.trx.sendTransaction(to, 7))
      assert.strictEqual(yield* attempt(() => wallet.trx.getBalance(to)), 0)
      assert.deepStrictEqual<object>(yield* attempt(() => wallet.trx.getTransactionInfo(transaction.txID)), {})
      yield* devnet.faucet.mine(2)
      assert.strictEqual(yield* attempt(() => wallet.trx.getBalance(to)), 7)
      assert.strictEqual((yield* attempt(() => wallet.trx.getTransactionInfo(transaction.txID))).id, transaction.txID)
    })
  )

  it.effect("sends TRC-20 tokens and reads them back; a first receipt costs more energy", () =>
    Effect.gen(function* () {
      const { stranger, wallet } = yield* Tron
      const to = yield* stranger
      for (const token of [usdt, usdc]) {
        const contract = yield* contractAt(wallet, token)
        for (const energy of [firstTransferEnergy, transferEnergy]) {
          const id = yield* attempt(() => contract["transfer"]!(to, 5).send({ feeLimit: 100_000_000 }))
          const info = yield* attempt(() => wallet.trx.getUnconfirmedTransactionInfo(id))
          assert.strictEqual(info.receipt.result, "SUCCESS")
          assert.strictEqual(BigInt(info.receipt.energy_usage_total), energy)
          assert.strictEqual(BigInt(info.receipt.energy_fee), energy * 100n)
          assert.lengthOf(info.log, 1)
        }
        assert.strictEqual(String(yield* attempt(() => contract["balanceOf"]!(to).call())), "10")
        assert.strictEqual(String(yield* attempt(() => contract["decimals"]!().call())), "6")
      }
      // A token receipt does not make an account active.
      assert.deepStrictEqual<object>(yield* attempt(() => wallet.trx.getUnconfirmedAccount(to)), {})
    })
  )

  it.effect("lets a spender take what was approved, and no more", () =>
    Effect.gen(function* () {
      const { devnet, stranger, wallet } = yield* Tron
      const to = yield* stranger
      const contract = yield* contractAt(wallet, usdc)
      const owner = devnet.fundedAddress
      yield* attempt(() => contract["approve"]!(owner, 8).send())
      yield* attempt(() => contract["transferFrom"]!(owner, to, 5).send())
      assert.strictEqual(String(yield* attempt(() => contract["allowance"]!(owner, owner).call())), "3")
      const id = yield* attempt(() => contract["transferFrom"]!(owner, to, 4).send())
      const info = yield* attempt(() => wallet.trx.getUnconfirmedTransactionInfo(id))
      assert.strictEqual(info.receipt.result, "REVERT")
      assert.strictEqual(String(yield* attempt(() => contract["balanceOf"]!(to).call())), "5")
    })
  )

  it.effect("mines a transfer that runs out of energy, which pays and moves nothing", () =>
    Effect.gen(function* () {
      const { stranger, wallet } = yield* Tron
      const to = yield* stranger
      const contract = yield* contractAt(wallet, usdt)
      const id = yield* attempt(() => contract["transfer"]!(to, 5).send({ feeLimit: 1_000_000 }))
      const info = yield* attempt(() => wallet.trx.getUnconfirmedTransactionInfo(id))
      assert.strictEqual(info.receipt.result, "OUT_OF_ENERGY")
      assert.strictEqual(String(info.result), "FAILED")
      assert.strictEqual(info.receipt.energy_fee, 1_000_000)
      assert.isUndefined(info.log)
      const read = yield* attempt(() => wallet.trx.getTransaction(id))
      assert.deepStrictEqual(read.ret, [{ contractRet: "OUT_OF_ENERGY" }])
      assert.strictEqual(String(yield* attempt(() => contract["balanceOf"]!(to).call())), "0")
    })
  )

  it.effect("estimates energy, and says when a call would revert", () =>
    Effect.gen(function* () {
      const { stranger, wallet } = yield* Tron
      const to = yield* stranger
      const estimate = (amount: string) =>
        attempt(() =>
          wallet.transactionBuilder.triggerConstantContract(usdt ?? "", "transfer(address,uint256)", {}, [
            { type: "address", value: to },
            { type: "uint256", value: amount }
          ])
        )
      assert.strictEqual(BigInt((yield* estimate("1")).energy_used ?? 0), firstTransferEnergy)
      assert.match((yield* Effect.flip(estimate("9".repeat(30)))).message, /REVERT/u)
      const required = yield* attempt(() =>
        wallet.transactionBuilder.estimateEnergy(usdt ?? "", "transfer(address,uint256)", {}, [
          { type: "address", value: to },
          { type: "uint256", value: "1" }
        ])
      )
      assert.strictEqual(BigInt(required.energy_required), firstTransferEnergy)
    })
  )

  it.effect("takes the same bytes as hexadecimal, and refuses them the second time", () =>
    Effect.gen(function* () {
      const { stranger, wallet } = yield* Tron
      const to = yield* stranger
      const unsigned = yield* attempt(() => wallet.transactionBuilder.sendTrx(to, 3))
      const signed = yield* attempt(() => wallet.trx.sign(unsigned))
      const protobuf = (yield* Effect.promise(() => import("tronweb"))).utils.transaction.txJsonToPb(signed)
      for (const signature of signed.signature) protobuf.addSignature(Buffer.from(signature, "hex").toString("base64"))
      const hex = Buffer.from(protobuf.serializeBinary()).toString("hex")
      const first = yield* attempt(() => wallet.trx.sendHexTransaction(hex))
      assert.strictEqual(first.result, true)
      assert.strictEqual(yield* attempt(() => wallet.trx.getUnconfirmedBalance(to)), 3)
      const second = yield* attempt(() => wallet.trx.sendRawTransaction(signed))
      assert.strictEqual(String(second.code), "DUP_TRANSACTION_ERROR")
      assert.strictEqual(Buffer.from(second.message ?? "", "hex").toString(), "Dup transaction.")
      assert.strictEqual(yield* attempt(() => wallet.trx.getUnconfirmedBalance(to)), 3)
    })
  )

  it.effect("reads blocks by number, id, range and count, and addresses in either form", () =>
    Effect.gen(function* () {
      const { devnet, wallet } = yield* Tron
      yield* devnet.faucet.mine(3)
      const latest = yield* attempt(() => wallet.trx.getCurrentBlock())
      const { number } = latest.block_header.raw_data
      assert.deepStrictEqual(yield* attempt(() => wallet.trx.getBlockByNumber(number)), latest)
      assert.deepStrictEqual(yield* attempt(() => wallet.trx.getBlockByHash(latest.blockID)), latest)
      const range = yield* attempt(() => wallet.trx.getBlockRange(number - 1, number))
      assert.strictEqual(range.at(-1)?.block_header.raw_data.parentHash, range[0]?.blockID)
      const last = yield* ask(devnet.nodeUrl, "wallet/getblockbylatestnum", { num: 2 })
      assert.deepStrictEqual(last["block"], range)
      const hexadecimal = (yield* ask(devnet.nodeUrl, "wallet/getaccount", {
        address: wallet.address.toHex(devnet.fundedAddress)
      }))["address"]
      const visible = (yield* ask(devnet.nodeUrl, "wallet/getaccount", {
        address: devnet.fundedAddress,
        visible: true
      }))["address"]
      assert.deepStrictEqual([hexadecimal, visible], [wallet.address.toHex(devnet.fundedAddress), devnet.fundedAddress])
      for (const [text, valid] of [
        [devnet.fundedAddress, true],
        ["TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u", false]
      ] as const) {
        const answer = yield* ask(devnet.nodeUrl, "wallet/validateaddress", { address: text })
        assert.strictEqual(answer["result"], valid)
      }
    })
  )

  it.effect("tells its parameters, its height and what an account may use", () =>
    Effect.gen(function* () {
      const { devnet, wallet } = yield* Tron
      const parameters = yield* attempt(() => wallet.trx.getChainParameters())
      assert.strictEqual(parameters.find(({ key }) => key === "getEnergyFee")?.value, 100)
      const resources = yield* attempt(() => wallet.trx.getAccountResources(devnet.fundedAddress))
      assert.strictEqual(resources.freeNetLimit, 600)
      const info = yield* attempt(() => wallet.trx.getNodeInfo())
      assert.match(info.block, /^Num:\d+,ID:[0-9a-f]{64}$/u)
    })
  )
})
