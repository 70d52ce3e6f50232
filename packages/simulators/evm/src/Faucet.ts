import { Effect, Schedule } from "effect"
import { encodeFunctionData } from "viem"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { tokenAbi } from "./abis.ts"
import type { EvmNetwork } from "./EvmNetwork.ts"
import { toHex } from "./Rpc.ts"
import type { Rpc } from "./Rpc.ts"
import { tokensOf } from "./tokens.ts"
import type { TestToken } from "./tokens.ts"

/** 0x-prefixed hexadecimal. */
export type Hex = `0x${string}`

/** A transaction to put on the new side of a fork. */
export interface Reincluded {
  readonly hash: Hex
  /** Which of the new blocks takes it, counted from 0. */
  readonly block: number
}

/** Where a transaction ended. */
export interface Receipt {
  readonly transactionHash: Hex
  readonly blockHash: Hex
  readonly blockNumber: Hex
  readonly status: "0x0" | "0x1"
}

/** A block, as far as a devnet cares. */
export interface BlockRef {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  readonly transactions: ReadonlyArray<Hex>
}

/** Everything a person or a test can make a local EVM network do. Amounts are base units. */
export interface Faucet {
  readonly rpc: Rpc
  /** Sends the network's own coin from the faucet's account in a real transaction; gives its hash. */
  readonly sendNative: (to: Hex, units: bigint) => Effect.Effect<Hex, DevnetError>
  /** Mints a token to an address: a Transfer from the zero address. */
  readonly mint: (token: TestToken, to: Hex, units: bigint) => Effect.Effect<Hex, DevnetError>
  /** Transfers a token from the faucet's account, minting to itself first: what a customer's deposit looks like. */
  readonly transfer: (token: TestToken, to: Hex, units: bigint) => Effect.Effect<Hex, DevnetError>
  /** Sends any call from the faucet's account, with an ample gas limit so that one that fails is mined as well. */
  readonly call: (to: Hex, data: Hex, value?: bigint) => Effect.Effect<Hex, DevnetError>
  /** The receipt, waited for while the transaction is not in a block. */
  readonly receipt: (hash: Hex) => Effect.Effect<Receipt, DevnetError>
  readonly block: (tag: "latest" | "safe" | "finalized" | bigint) => Effect.Effect<BlockRef, DevnetError>
  readonly mine: (count: number) => Effect.Effect<void, DevnetError>
  /**
   * Replaces the last `depth` blocks by as many new ones. Their transactions are gone, as if dropped by everybody,
   * except those `reincluded`. Fails with `invalid_request` if the chain is not that long.
   */
  readonly reorg: (depth: number, reincluded?: ReadonlyArray<Reincluded>) => Effect.Effect<void, DevnetError>
  /** The transactions of the last `depth` blocks, in the places that keep them there when given to `reorg`. */
  readonly transactionsOf: (depth: number) => Effect.Effect<ReadonlyArray<Reincluded>, DevnetError>
  /** Whether a transaction is put into a block of its own as soon as it arrives. */
  readonly setAutomine: (on: boolean) => Effect.Effect<void, DevnetError>
  readonly balance: (address: Hex) => Effect.Effect<bigint, DevnetError>
  readonly tokenBalance: (token: TestToken, address: Hex) => Effect.Effect<bigint, DevnetError>
  /** The token of a currency code on this network. Fails with `invalid_request` if there is none. */
  readonly token: (code: string) => Effect.Effect<TestToken, DevnetError>
}

/** Account 1 of anvil's well-known mnemonic: not the funded account, so that nobody's nonces are disturbed. */
export const faucetAddress: Hex = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

/** What the faucet's account is filled up to before it sends: a million coins. */
const reserve = 1_000_000n * 10n ** 18n

const gasLimit = 2_000_000

/** The address without its checksum: a devnet takes addresses in any case. */
const plain = (address: Hex): Hex => `0x${address.slice(2).toLowerCase()}`

const invalid = (message: string, hint: string) => new DevnetError({ code: "invalid_request", message, hint })

/** The faucet of the node behind `rpc`. */
export const make = (rpc: Rpc, network: EvmNetwork): Faucet => {
  let miners = 0x1000
  const call: Faucet["call"] = (to, data, value = 0n) =>
    Effect.andThen(
      rpc("anvil_setBalance", [faucetAddress, toHex(reserve + value)]),
      rpc<Hex>("eth_sendTransaction", [{ from: faucetAddress, to, data, value: toHex(value), gas: toHex(gasLimit) }])
    )
  const mint: Faucet["mint"] = (token, to, units) =>
    call(token.address, encodeFunctionData({ abi: tokenAbi, functionName: "mint", args: [plain(to), units] }))
  const rawBlock = (tag: string) =>
    Effect.flatMap(
      rpc<(Omit<BlockRef, "number"> & { readonly number: Hex }) | null>("eth_getBlockByNumber", [tag, false]),
      (block) =>
        block === null
          ? Effect.fail(invalid(`there is no block ${tag}`, "Ask for a height the chain has reached."))
          : Effect.succeed({ ...block, number: BigInt(block.number) })
    )
  return {
    rpc,
    call,
    mint,
    sendNative: (to, units) => call(to, "0x", units),
    transfer: (token, to, units) =>
      Effect.andThen(
        mint(token, faucetAddress, units),
        call(token.address, encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args: [plain(to), units] }))
      ),
    receipt: (hash) =>
      rpc<Receipt | null>("eth_getTransactionReceipt", [hash]).pipe(
        Effect.repeat({ while: (receipt) => receipt === null, schedule: Schedule.spaced("20 millis") }),
        Effect.flatMap((receipt) =>
          receipt === null ? Effect.fail(invalid(`no receipt of ${hash}`, "Mine a block.")) : Effect.succeed(receipt)
        )
      ),
    block: (tag) => rawBlock(typeof tag === "bigint" ? toHex(tag) : tag),
    mine: (count) => Effect.asVoid(rpc("anvil_mine", [toHex(count)])),
    reorg: Effect.fn("Faucet.reorg")(function* (depth, reincluded = []) {
      const { number } = yield* rawBlock("latest")
      if (!Number.isSafeInteger(depth) || depth < 1 || BigInt(depth) > number) {
        return yield* invalid(
          `cannot replace ${depth} of ${number} blocks`,
          "Choose a depth from 1 to the chain's height."
        )
      }
      // The raw bytes have to be read while the node still knows the transactions.
      const pairs = yield* Effect.forEach(reincluded, ({ block, hash }) =>
        Effect.map(rpc<Hex>("eth_getRawTransactionByHash", [hash]), (raw) => [raw, block])
      )
      // Within a second the same transactions would give the same blocks; another miner makes them others.
      yield* rpc("anvil_setCoinbase", [`0x${(++miners).toString(16).padStart(40, "0")}`])
      yield* rpc("anvil_reorg", [depth, pairs])
    }),
    transactionsOf: Effect.fn("Faucet.transactionsOf")(function* (depth) {
      const { number } = yield* rawBlock("latest")
      const count = Math.min(depth, Number(number))
      const blocks = yield* Effect.forEach(
        Array.from({ length: count }, (_, index) => number - BigInt(count - index) + 1n),
        (height) => rawBlock(toHex(height))
      )
      return blocks.flatMap((block, index) => block.transactions.map((hash) => ({ hash, block: index })))
    }),
    setAutomine: (on) => Effect.asVoid(rpc("evm_setAutomine", [on])),
    balance: (address) => Effect.map(rpc<Hex>("eth_getBalance", [address, "latest"]), BigInt),
    tokenBalance: (token, address) =>
      Effect.map(
        rpc<Hex>("eth_call", [
          {
            to: token.address,
            data: encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args: [plain(address)] })
          },
          "latest"
        ]),
        BigInt
      ),
    token: (code) => {
      const found = tokensOf(network).find((token) => token.code === code)
      return found === undefined
        ? Effect.fail(
            invalid(
              `there is no ${code} on ${network}`,
              `Known: ${tokensOf(network)
                .map((t) => t.code)
                .join(", ")}.`
            )
          )
        : Effect.succeed(found)
    }
  }
}
