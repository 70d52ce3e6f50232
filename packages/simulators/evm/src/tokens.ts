import { Effect } from "effect"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { bytecode } from "./bytecode.ts"
import type { EvmNetwork } from "./EvmNetwork.ts"
import { toHex } from "./Rpc.ts"
import type { Rpc } from "./Rpc.ts"

/** The contract a test token runs; see contracts/Token.sol. */
export type TokenBehaviour = "BoolToken" | "SilentToken" | "FeeToken" | "FalseToken"

/** A token that exists on a local network. */
export interface TestToken {
  /** The currency code, or for the odd ones a name in the same style. */
  readonly code: string
  readonly address: `0x${string}`
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly behaviour: TokenBehaviour
}

const usdt = (code: string, decimals: number, address: `0x${string}`, behaviour: TokenBehaviour): TestToken => ({
  code,
  address,
  name: "Tether USD",
  symbol: "USDT",
  decimals,
  behaviour
})

const usdc = (code: string, decimals: number, address: `0x${string}`): TestToken => ({
  code,
  address,
  name: "USD Coin",
  symbol: "USDC",
  decimals,
  behaviour: "BoolToken"
})

/**
 * USDT and USDC at their real addresses with their real decimals. Only Ethereum's USDT returns nothing, as in reality.
 */
export const canonicalTokens: Readonly<Record<EvmNetwork, ReadonlyArray<TestToken>>> = {
  ethereum: [
    usdt("USDT_ETH", 6, "0xdAC17F958D2ee523a2206206994597C13D831ec7", "SilentToken"),
    usdc("USDC_ETH", 6, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")
  ],
  bsc: [
    usdt("USDT_BSC", 18, "0x55d398326f99059fF775485246999027B3197955", "BoolToken"),
    usdc("USDC_BSC", 18, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d")
  ],
  base: [
    usdt("USDT_BASE", 6, "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2", "BoolToken"),
    usdc("USDC_BASE", 6, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
  ]
}

/** Says it is Tether, with Tether's decimals, at an address that is not Tether's. On every network. */
export const counterfeitToken: TestToken = {
  code: "COUNTERFEIT",
  address: "0x00000000000000000000000000000000fA4e0001",
  name: "Tether USD",
  symbol: "USDT",
  decimals: 6,
  behaviour: "BoolToken"
}

/** Keeps a tenth of each transfer, so the recipient gets less than was asked. On every network. */
export const feeToken: TestToken = {
  code: "FEE",
  address: "0x00000000000000000000000000000000FA4E0002",
  name: "Fee on transfer",
  symbol: "FEE",
  decimals: 18,
  behaviour: "FeeToken"
}

/** Returns false, moves nothing and emits nothing, in transactions that succeed. On every network. */
export const falseToken: TestToken = {
  code: "FALSE",
  address: "0x00000000000000000000000000000000fA4e0003",
  name: "False",
  symbol: "FALSE",
  decimals: 6,
  behaviour: "FalseToken"
}

/** All tokens of a network. */
export const tokensOf = (network: EvmNetwork): ReadonlyArray<TestToken> => [
  ...canonicalTokens[network],
  counterfeitToken,
  feeToken,
  falseToken
]

/** Addresses of the contracts that are not tokens; see contracts/Splitter.sol. The oracle exists on base alone. */
export const contracts = {
  splitter: "0x00000000000000000000000000000000fa4E0010",
  destroyer: "0x00000000000000000000000000000000FA4E0011",
  refuser: "0x00000000000000000000000000000000fA4e0012",
  gasPriceOracle: "0x420000000000000000000000000000000000000F"
} as const

// Slots of contracts/Token.sol.
const nameSlot = 3n
const symbolSlot = 4n
const decimalsSlot = 5n

const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`

/** A text of at most 31 bytes as Solidity stores it: the text at the left, twice its length in the last byte. */
const shortString = (text: string) => {
  const bytes = Buffer.alloc(32)
  bytes.write(text, "utf8")
  bytes.writeUInt8(Buffer.byteLength(text) * 2, 31)
  return `0x${bytes.toString("hex")}`
}

/**
 * The contracts of EIP-4788 and EIP-2935 store a word in every block, so that each state that is kept, and each save, would
 * be larger than the last. Nothing here reads them; without code the chain leaves them alone.
 */
const growingContracts = ["0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02", "0x0000F90827F1C53a10cb7A02335B175320002935"]

const placeToken = (rpc: Rpc, token: TestToken) =>
  Effect.gen(function* () {
    yield* rpc("anvil_setCode", [token.address, bytecode[token.behaviour]])
    yield* rpc("anvil_setStorageAt", [token.address, toHex(nameSlot), shortString(token.name)])
    yield* rpc("anvil_setStorageAt", [token.address, toHex(symbolSlot), shortString(token.symbol)])
    yield* rpc("anvil_setStorageAt", [token.address, toHex(decimalsSlot), word(BigInt(token.decimals))])
  })

/**
 * Places the tokens and contracts on a node unless they are there, and mines one block over them, so that even a reorg
 * down to the first block keeps them.
 */
export const install = Effect.fn("tokens.install")(function* (
  rpc: Rpc,
  network: EvmNetwork
): Effect.fn.Return<void, DevnetError> {
  const code = yield* rpc<string>("eth_getCode", [contracts.refuser, "latest"])
  if (code !== "0x") return
  yield* Effect.forEach(growingContracts, (address) => rpc("anvil_setCode", [address, "0x"]))
  yield* Effect.forEach(tokensOf(network), (token) => placeToken(rpc, token))
  yield* rpc("anvil_setCode", [contracts.splitter, bytecode.Splitter])
  yield* rpc("anvil_setCode", [contracts.destroyer, bytecode.Destroyer])
  if (network === "base") yield* rpc("anvil_setCode", [contracts.gasPriceOracle, bytecode.GasPriceOracle])
  // The last one is the sign that all are there.
  yield* rpc("anvil_setCode", [contracts.refuser, bytecode.Refuser])
  yield* rpc("anvil_mine", ["0x1"])
})
