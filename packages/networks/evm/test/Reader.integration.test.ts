import { contracts, counterfeitToken, falseToken, feeToken } from "@bursar/simulator-evm/tokens"
import { destroyerAbi, splitterAbi, tokenAbi } from "@bursar/simulator-evm/abis"
import type { Hex, Receipt } from "@bursar/simulator-evm/Faucet"
import { TransferIndex } from "@bursar/evm"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, getContractAddress } from "viem"
import { initCode, World } from "./support/World.ts"

/** What the block of a transaction moved to an address, in short. */
const movedTo = (to: string, { blockHash, transactionHash }: Receipt) =>
  Effect.gen(function* () {
    const { chain } = yield* World
    const { transfers } = yield* chain.block(blockHash)
    return transfers
      .filter((transfer) => transfer.txHash === transactionHash && transfer.to === to)
      .map(({ contract, transferIndex, units }) => [contract, transferIndex, units] as const)
  })

const split = (receivers: ReadonlyArray<Hex>, values: ReadonlyArray<bigint>) =>
  encodeFunctionData({ abi: splitterAbi, functionName: "split", args: [receivers, values] })

const transfer = (to: Hex, units: bigint) =>
  encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [to, units] })

const mint = (to: Hex, units: bigint) => encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [to, units] })

layer(World.layer("ethereum"), { excludeTestServices: true })("EvmReader on ethereum", (it) => {
  it.effect("finds a native send that carries calldata", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      // Calldata of a token transfer to somebody else, which is nothing but bytes to an account.
      const receipt = yield* mined(devnet.faucet.call(to, transfer(yield* address, 9n), 5n))
      assert.deepStrictEqual(yield* movedTo(to, receipt), [[null, TransferIndex.native, 5n]])
    })
  )

  it.effect("finds coin that a contract forwards, each payment by itself", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      const other = yield* address
      const data = split([to, other, to], [3n, 4n, 5n])
      const receipt = yield* mined(devnet.faucet.call(contracts.splitter, data, 12n))
      assert.deepStrictEqual(yield* movedTo(to, receipt), [
        [null, TransferIndex.internalFirst, 3n],
        [null, TransferIndex.internalFirst + 2, 5n]
      ])
      assert.deepStrictEqual(yield* movedTo(other, receipt), [[null, TransferIndex.internalFirst + 1, 4n]])
    })
  )

  it.effect(
    "names whom a forwarding contract may have paid where the node has no traces, and balances tell what they gained",
    () =>
      Effect.gen(function* () {
        const { address, devnet, mined, reader, tokens } = yield* World
        const [to, other, stranger] = [yield* address, yield* address, yield* address]
        const data = split([to, other], [3n, 4n])
        const { blockHash, transactionHash } = yield* mined(devnet.faucet.call(contracts.splitter, data, 7n))
        const { faults } = devnet
        const times = 1_000
        yield* faults.inject({
          kind: "refuse",
          times,
          method: ["debug_traceBlockByHash", "trace_block", "debug_traceCall"],
          error_code: -32601,
          error_message: "the method does not exist"
        })
        yield* faults.inject({ kind: "empty", times, method: "debug_traceTransaction" })
        // A reader of its own: what it learns of the node is not the others' to know.
        const chain = reader({})
        const block = yield* chain.block(blockHash).pipe(Effect.ensuring(faults.clear))
        assert.deepStrictEqual(
          block.transfers.filter((transfer) => transfer.to === to || transfer.to === other),
          []
        )
        const [unread] = block.unread ?? []
        assert.strictEqual(unread?.txHash, transactionHash)
        assert.isNull(unread?.gains)
        const names = (unread?.names ?? []).map((name) => name.toLowerCase())
        for (const named of [to, other, contracts.splitter]) assert.include(names, named.toLowerCase())
        assert.notInclude(names, stranger.toLowerCase())
        assert.deepStrictEqual(yield* chain.balanceChanges?.(block, [to, other, stranger]) ?? Effect.succeed([]), [
          { address: to, contract: null, units: 3n },
          { address: other, contract: null, units: 4n }
        ])
        const [token] = tokens
        if (token === undefined) return assert.fail("there is no token")
        const paid = yield* mined(devnet.faucet.transfer(token, to, 5n))
        const changes = yield* chain.balanceChanges?.(yield* chain.block(paid.blockHash), [to]) ?? Effect.succeed([])
        assert.deepStrictEqual(
          changes.map(({ contract, units }) => [contract?.toLowerCase(), units]),
          [[token.address.toLowerCase(), 5n]]
        )
      })
  )

  it.effect("does not find a payment within a call that is reverted, though its transaction succeeds", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const refused = yield* address
      const paid = yield* address
      const data = encodeFunctionData({ abi: splitterAbi, functionName: "splitWithRevert", args: [refused, paid, 6n] })
      const receipt = yield* mined(devnet.faucet.call(contracts.splitter, data, 6n))
      assert.strictEqual(receipt.status, "0x1")
      assert.deepStrictEqual(yield* movedTo(refused, receipt), [])
      // The payment that was undone takes no place: clients disagree on which of them they list.
      assert.deepStrictEqual(yield* movedTo(paid, receipt), [[null, TransferIndex.internalFirst, 6n]])
    })
  )

  it.effect("does not take the value of a delegatecall or callcode for a payment", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      for (const functionName of ["delegate", "callCode"] as const) {
        const target = yield* address
        const data = encodeFunctionData({ abi: splitterAbi, functionName, args: [target] })
        const receipt = yield* mined(devnet.faucet.call(contracts.splitter, data, 8n))
        assert.strictEqual(receipt.status, "0x1")
        assert.deepStrictEqual(yield* movedTo(target, receipt), [])
        assert.strictEqual(yield* devnet.faucet.balance(target), 0n)
      }
    })
  )

  it.effect("finds the payments that are made inside a delegatecall", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      const data = encodeFunctionData({ abi: splitterAbi, functionName: "splitByDelegate", args: [[to], [7n]] })
      const receipt = yield* mined(devnet.faucet.call(contracts.splitter, data, 7n))
      assert.deepStrictEqual(yield* movedTo(to, receipt), [[null, TransferIndex.internalFirst, 7n]])
    })
  )

  it.effect("finds coin that a selfdestruct leaves", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      const data = encodeFunctionData({ abi: destroyerAbi, functionName: "destroy", args: [to] })
      const receipt = yield* mined(devnet.faucet.call(contracts.destroyer, data, 11n))
      assert.deepStrictEqual(yield* movedTo(to, receipt), [[null, TransferIndex.internalFirst, 11n]])
    })
  )

  it.effect("finds nothing in a transaction that failed, whatever it carried", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, mined } = yield* World
      const to = yield* address
      const data = encodeFunctionData({ abi: splitterAbi, functionName: "splitThenFail", args: [to] })
      for (const receipt of [
        yield* mined(devnet.faucet.call(contracts.splitter, data, 13n)),
        yield* mined(devnet.faucet.sendNative(contracts.refuser, 13n))
      ]) {
        assert.strictEqual(receipt.status, "0x0")
        assert.deepStrictEqual((yield* chain.block(receipt.blockHash)).transfers, [])
      }
    })
  )

  it.effect("finds value that creates a contract, at the address that is created, and what its constructor sends", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, script } = yield* World
      const to = yield* address
      const from = devnet.anvil.fundedAddress
      const nonce = BigInt(yield* devnet.faucet.rpc<Hex>("eth_getTransactionCount", [from, "latest"]))
      const receipt = yield* script([{ to, value: 4n }], 10n)
      const created = getContractAddress({ from, nonce })
      const { transfers } = yield* chain.block(receipt.blockHash)
      assert.deepStrictEqual(
        transfers.map((moved) => [moved.transferIndex, moved.from, moved.to, moved.units]),
        [
          [TransferIndex.native, from, created, 10n],
          [TransferIndex.internalFirst, created, to, 4n]
        ]
      )
    })
  )

  it.effect("keeps a transfer from an address to itself", () =>
    Effect.gen(function* () {
      const { devnet, mined } = yield* World
      const { anvil, faucet } = devnet
      const receipt = yield* mined(
        faucet.rpc<Hex>("eth_sendTransaction", [{ from: anvil.fundedAddress, to: anvil.fundedAddress, value: "0x9" }])
      )
      assert.deepStrictEqual(yield* movedTo(anvil.fundedAddress, receipt), [[null, TransferIndex.native, 9n]])
    })
  )

  it.effect("finds USDT, whose transfer returns nothing", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      const usdt = yield* devnet.faucet.token("USDT_ETH")
      const receipt = yield* mined(devnet.faucet.transfer(usdt, to, 1_000_000n))
      assert.deepStrictEqual(yield* movedTo(to, receipt), [[usdt.address, 0, 1_000_000n]])
    })
  )

  it.effect("has no sender for tokens that are minted", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, mined } = yield* World
      const usdc = yield* devnet.faucet.token("USDC_ETH")
      const receipt = yield* mined(devnet.faucet.mint(usdc, yield* address, 5n))
      assert.deepStrictEqual(
        (yield* chain.block(receipt.blockHash)).transfers.map(({ from }) => from),
        [null]
      )
    })
  )

  it.effect("finds nothing when a pinned token returns false and logs nothing", () =>
    Effect.gen(function* () {
      const { address, devnet, mined, reader } = yield* World
      const chain = reader({ contracts: [falseToken.address] })
      const receipt = yield* mined(devnet.faucet.call(falseToken.address, transfer(yield* address, 100n)))
      assert.strictEqual(receipt.status, "0x1")
      assert.deepStrictEqual((yield* chain.block(receipt.blockHash)).transfers, [])
    })
  )

  it.effect("counts what the log says where a token keeps a fee, not what the calldata says", () =>
    Effect.gen(function* () {
      const { address, devnet, mined, reader } = yield* World
      const to = yield* address
      const chain = reader({ contracts: [feeToken.address] })
      const receipt = yield* mined(devnet.faucet.transfer(feeToken, to, 1_000n))
      const { transfers } = yield* chain.block(receipt.blockHash)
      assert.deepStrictEqual(
        transfers.filter((moved) => moved.to === to).map(({ units }) => units),
        [900n]
      )
    })
  )

  it.effect("does not report a token that is not pinned, whatever its name", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, mined } = yield* World
      const receipt = yield* mined(devnet.faucet.transfer(counterfeitToken, yield* address, 1_000_000n))
      assert.strictEqual(receipt.status, "0x1")
      assert.deepStrictEqual((yield* chain.block(receipt.blockHash)).transfers, [])
    })
  )

  it.effect("finds no transfer of nothing", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, mined } = yield* World
      const usdc = yield* devnet.faucet.token("USDC_ETH")
      const receipt = yield* mined(devnet.faucet.call(usdc.address, transfer(yield* address, 0n)))
      assert.strictEqual(receipt.status, "0x1")
      assert.deepStrictEqual((yield* chain.block(receipt.blockHash)).transfers, [])
    })
  )

  it.effect("numbers tokens by their place in the receipt, other logs counted", () =>
    Effect.gen(function* () {
      const { address, devnet, script } = yield* World
      const to = yield* address
      const usdt = yield* devnet.faucet.token("USDT_ETH")
      const receipt = yield* script([
        { to: counterfeitToken.address, data: mint(to, 1n) },
        { to: usdt.address, data: mint(to, 20n) },
        { to: usdt.address, data: mint(to, 20n) }
      ])
      assert.deepStrictEqual(yield* movedTo(to, receipt), [
        [usdt.address, 1, 20n],
        [usdt.address, 2, 20n]
      ])
    })
  )

  it.effect("keeps tokens, the coin of the transaction and the coin of contracts apart", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, script } = yield* World
      const to = yield* address
      const usdt = yield* devnet.faucet.token("USDT_ETH")
      const receipt = yield* script(
        [
          { to, value: 2n },
          { to: usdt.address, data: mint(to, 3n) }
        ],
        2n
      )
      assert.deepStrictEqual(
        (yield* chain.block(receipt.blockHash)).transfers.map((moved) => [moved.transferIndex, moved.units]),
        [
          [0, 3n],
          [TransferIndex.native, 2n],
          [TransferIndex.internalFirst, 2n]
        ]
      )
    })
  )

  it.effect("keeps the index of a token whose log gets another place in its block", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, mined } = yield* World
      const { faucet } = devnet
      const to = yield* address
      const usdt = yield* faucet.token("USDT_ETH")
      yield* faucet.setAutomine(false)
      const first = yield* faucet.mint(usdt, yield* address, 1n)
      const second = yield* faucet.mint(usdt, to, 2n)
      yield* faucet.mine(1)
      yield* faucet.setAutomine(true)
      const before = yield* mined(Effect.succeed(second))
      assert.deepStrictEqual(yield* movedTo(to, before), [[usdt.address, 0, 2n]])
      // The other goes into an earlier block, so that the block-wide log index changes from 1 to 0.
      yield* faucet.mine(1)
      yield* faucet.reorg(2, [
        { hash: first, block: 0 },
        { hash: second, block: 1 }
      ])
      const after = yield* mined(Effect.succeed(second))
      assert.notStrictEqual(after.blockHash, before.blockHash)
      assert.deepStrictEqual(yield* movedTo(to, after), [[usdt.address, 0, 2n]])
      assert.strictEqual((yield* chain.block(after.blockHash)).transfers.length, 1)
    })
  )

  it.effect("reads a block of many transactions in three calls", () =>
    Effect.gen(function* () {
      const { address, chain, devnet } = yield* World
      const { faucet, faults } = devnet
      yield* faucet.setAutomine(false)
      const usdt = yield* faucet.token("USDT_ETH")
      const to = yield* address
      const count = 120
      for (let index = 0; index < count; index++) yield* faucet.mint(usdt, to, 1n + BigInt(index))
      yield* faucet.mine(1)
      yield* faucet.setAutomine(true)
      const { latest } = yield* chain.tip
      const before = yield* faults.seen
      const { transfers } = yield* chain.block(latest.hash)
      const after = yield* faults.seen
      assert.strictEqual(transfers.length, count)
      const calls = Object.entries(after).flatMap(([method, times]) =>
        times === (before[method] ?? 0) ? [] : [[method, times - (before[method] ?? 0)]]
      )
      assert.sameDeepMembers(calls, [
        ["eth_getBlockByHash", 1],
        ["eth_getBlockReceipts", 1],
        ["debug_traceBlockByHash", 1]
      ])
    })
  )

  it.effect("does not ask for traces of a block of plain sends", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      const receipt = yield* mined(devnet.faucet.sendNative(to, 5n))
      const before = (yield* devnet.faults.seen)["debug_traceBlockByHash"]
      assert.deepStrictEqual(yield* movedTo(to, receipt), [[null, TransferIndex.native, 5n]])
      assert.strictEqual((yield* devnet.faults.seen)["debug_traceBlockByHash"], before)
    })
  )

  for (const [lacking, methods] of [
    ["debug_traceBlockByHash", ["debug_traceBlockByHash"]],
    ["debug_traceBlockByHash and trace_block", ["debug_traceBlockByHash", "trace_block"]],
    ["eth_getBlockReceipts", ["eth_getBlockReceipts"]]
  ] as const) {
    it.effect(`reads the same from a node that lacks ${lacking}, and asks for it once only`, () =>
      Effect.gen(function* () {
        const { address, chain, devnet, reader, script } = yield* World
        const { faults } = devnet
        const to = yield* address
        const usdt = yield* devnet.faucet.token("USDT_ETH")
        const pays = { to: contracts.splitter, data: split([to], [3n]), value: 3n }
        const undone = initCode([{ to, value: 1n }])
        const receipt = yield* script(
          [
            // A call of a precompile without value, which some tracers list and others do not.
            { to: "0x0000000000000000000000000000000000000004", data: undone },
            { to: usdt.address, data: mint(to, 3n) },
            // Refused, so undone.
            { to: contracts.refuser, value: 1n },
            pays,
            {
              to: contracts.destroyer,
              data: encodeFunctionData({ abi: destroyerAbi, functionName: "destroy", args: [to] }),
              value: 2n
            }
          ],
          10n
        )
        const other = reader({})
        const expected = yield* chain.block(receipt.blockHash)
        assert.strictEqual(expected.transfers.length, 6)
        const before = yield* faults.seen
        for (const method of methods) {
          yield* faults.inject({
            kind: "refuse",
            times: 100,
            method,
            error_code: -32601,
            error_message: "no such method"
          })
        }
        yield* Effect.ensuring(
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* other.block(receipt.blockHash), expected)
            assert.deepStrictEqual(yield* other.block(receipt.blockHash), expected)
          }),
          faults.clear
        )
        const after = yield* faults.seen
        for (const method of methods) assert.strictEqual((after[method] ?? 0) - (before[method] ?? 0), 1)
      })
    )
  }

  it.effect("fails a block that it cannot trace, and says what the operator can do", () =>
    Effect.gen(function* () {
      const { address, devnet, mined, reader } = yield* World
      const { faults } = devnet
      const receipt = yield* mined(devnet.faucet.call(contracts.splitter, split([yield* address], [3n]), 3n))
      yield* faults.inject({
        kind: "refuse",
        times: 100,
        method: ["debug_traceBlockByHash", "trace_block", "debug_traceTransaction"],
        error_code: -32601,
        error_message: "no such method"
      })
      yield* Effect.ensuring(
        Effect.gen(function* () {
          const chain = reader({})
          assert.deepStrictEqual(yield* chain.capabilities, { internalTransfers: false })
          const error = yield* Effect.flip(chain.block(receipt.blockHash))
          assert.strictEqual(error.reason, "unreachable")
          assert.include(error.message, "traces to off")
        }),
        faults.clear
      )
    })
  )

  it.effect("goes without coin of contracts when traces are off, and says so", () =>
    Effect.gen(function* () {
      const { address, chain, devnet, mined, reader } = yield* World
      const to = yield* address
      const off = reader({ traces: "off" })
      const receipt = yield* mined(devnet.faucet.call(contracts.splitter, split([to], [3n]), 3n))
      assert.deepStrictEqual(
        (yield* off.block(receipt.blockHash)).transfers.map(({ transferIndex }) => transferIndex),
        [TransferIndex.native]
      )
      assert.deepStrictEqual(yield* off.capabilities, { internalTransfers: false })
      assert.deepStrictEqual(yield* chain.capabilities, { internalTransfers: true })
    })
  )

  it.effect("counts by the node's finality, and by depth when that is configured", () =>
    Effect.gen(function* () {
      const { chain, devnet, reader } = yield* World
      yield* devnet.faucet.mine(5)
      const { confirmed, latest } = yield* chain.tip
      const finalized = yield* devnet.faucet.block("finalized")
      assert.strictEqual(confirmed, Number(finalized.number))
      assert.isBelow(confirmed, latest.number)
      const three = reader({ confirmations: 3 })
      assert.strictEqual((yield* three.tip).confirmed, latest.number - 2)
      assert.strictEqual(three.requiredConfirmations, 3)
      assert.strictEqual((yield* reader({ confirmations: 1 }).tip).confirmed, latest.number)
      assert.strictEqual((yield* reader({ confirmations: 100_000 }).tip).confirmed, -1)
    })
  )

  it.effect("accepts a node of its chain and refuses one of another", () =>
    Effect.gen(function* () {
      const { chain, reader } = yield* World
      yield* chain.verifyChain
      const error = yield* Effect.flip(reader({ network: "base" }).verifyChain)
      assert.strictEqual(error.reason, "other_chain")
      assert.include(error.message, "the node is of chain 1, but base is chain 8453")
      yield* reader({ network: "base", chainId: 1 }).verifyChain
    })
  )
})

layer(World.layer("bsc"), { excludeTestServices: true })("EvmReader on bsc", (it) => {
  it.effect("reports USDT in the base units of the token, which has 18 decimals there", () =>
    Effect.gen(function* () {
      const { address, devnet, mined } = yield* World
      const to = yield* address
      const usdt = yield* devnet.faucet.token("USDT_BSC")
      const units = 25n * 10n ** 17n
      assert.deepStrictEqual(yield* movedTo(to, yield* mined(devnet.faucet.transfer(usdt, to, units))), [
        [usdt.address, 0, units]
      ])
    })
  )
})
