import type { Deposit } from "@bursar/api/wire/Deposit"
import type { EvmDevnet } from "@bursar/simulator-evm"
import { splitterAbi } from "@bursar/simulator-evm/abis"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { contracts, type TestToken } from "@bursar/simulator-evm/tokens"
import { nativeCodes } from "@bursar/simulator-evm/EvmNetwork"
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem"

/** A transfer that was made on a chain: what the service must find there, once. */
export interface Made {
  readonly txHash: string
  /** As `docs/concepts/deposits.md` defines it. */
  readonly transferIndex: number
  readonly address: string
  readonly currency: string
  readonly units: bigint
}

const erc20 = parseAbi(["function transfer(address to, uint256 value)"])

/** An address that nobody has used, all in lower case. */
export const freshAddress = (): Hex => `0x${crypto.randomUUID().replaceAll("-", "")}00000000`

/**
 * Somebody who pays on a local network in every way that counts: coins by a transaction, tokens, and coins that a contract
 * hands on. Each call is one transaction and gives the deposits that must come of it.
 */
export const makePayer = Effect.fnUntraced(function* ({ anvil, faucet }: EvmDevnet.EvmDevnet, tokenCode: string) {
  const token: TestToken = yield* faucet.token(tokenCode)
  const native = nativeCodes[anvil.network]
  const hex = (value: bigint): Hex => `0x${value.toString(16)}`
  const transact = (to: Hex, value: bigint, data: Hex, gas: bigint) =>
    faucet.rpc<Hex>("eth_sendTransaction", [{ from: anvil.fundedAddress, to, value: hex(value), data, gas: hex(gas) }])
  yield* faucet.rpc("anvil_setBalance", [anvil.fundedAddress, hex(10n ** 30n)])
  yield* faucet.mint(token, anvil.fundedAddress, 10n ** 40n)
  return {
    native: (address: Hex, units: bigint) =>
      Effect.map(transact(address, units, "0x", 21_000n), (txHash): ReadonlyArray<Made> => [
        { txHash, transferIndex: 1_000_000, address, currency: native, units }
      ]),
    token: (address: Hex, units: bigint) =>
      Effect.map(
        transact(
          token.address,
          0n,
          encodeFunctionData({ abi: erc20, functionName: "transfer", args: [address, units] }),
          120_000n
        ),
        (txHash): ReadonlyArray<Made> => [{ txHash, transferIndex: 0, address, currency: token.code, units }]
      ),
    split: (addresses: ReadonlyArray<Hex>, units: bigint) =>
      Effect.map(
        transact(
          contracts.splitter,
          units * BigInt(addresses.length),
          encodeFunctionData({
            abi: splitterAbi,
            functionName: "split",
            args: [addresses, addresses.map(() => units)]
          }),
          100_000n + 60_000n * BigInt(addresses.length)
        ),
        (txHash) =>
          addresses.map((address, index): Made => ({
            txHash,
            transferIndex: 4_000_000 + index,
            address,
            currency: native,
            units
          }))
      )
  }
})

/** The transfer that a deposit says was made. */
export const madeOf = ({ address, amount, amount_units, transfer_index, tx_hash }: Deposit): Made => ({
  txHash: tx_hash,
  transferIndex: transfer_index,
  address,
  currency: amount.currency,
  units: BigInt(amount_units)
})

/** One line per transfer, in order: two lists of transfers are the same if these are. */
export const lines = (made: ReadonlyArray<Made>): ReadonlyArray<string> =>
  made
    .map(({ address, currency, transferIndex, txHash, units }) =>
      [txHash, transferIndex, address.toLowerCase(), currency, units].join(" ")
    )
    .toSorted()

/** The sum of what was paid in a currency. */
export const sumOf = (made: ReadonlyArray<Made>, code: string): bigint =>
  made.reduce((sum, { currency, units }) => (currency === code ? sum + units : sum), 0n)
