import { Clock, Effect } from "effect"
import { toFunctionSelector } from "viem"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { addressOfKey, signature } from "./account.ts"
import { type Chain, referenceOf } from "./Chain.ts"
import type { Token } from "./contracts.ts"
import { Refused } from "./execute.ts"
import { faucetKey } from "./genesis.ts"
import { expirationAheadMsMax, feeLimitMax } from "./parameters.ts"
import { keys } from "./Store.ts"
import { type Contract, make as makeTransaction, type Transaction } from "./Transaction.ts"

/** Everything a person or a test can make the local tron network do. Addresses are hexadecimal, amounts base units. */
export interface TronFaucet {
  readonly chain: Chain
  /** Sends the network's own coin from the faucet's account in a real transaction; gives its id. */
  readonly sendNative: (to: string, units: bigint) => Effect.Effect<string, DevnetError>
  /** Transfers a token from the faucet's account: what a customer's deposit looks like. */
  readonly transfer: (token: Token, to: string, units: bigint) => Effect.Effect<string, DevnetError>
  /** Calls a contract from the faucet's account. `data` is hexadecimal. */
  readonly call: (contract: string, data: string, value?: bigint) => Effect.Effect<string, DevnetError>
  /** Pauses all transfers of a token as its issuer can, or lets them go on. */
  readonly setPaused: (token: Token, paused: boolean) => Effect.Effect<string, DevnetError>
  /** Blacklists a holder of a token as its issuer can, or lets it pay again. */
  readonly setBlacklisted: (token: Token, address: string, blacklisted: boolean) => Effect.Effect<string, DevnetError>
  readonly mine: (count: number) => Effect.Effect<void>
  /**
   * Replaces the newest blocks by as many new ones. Their transactions are mined again in their places if `keep`, or all in the last of
   * the new blocks, and are gone otherwise. Fails with `invalid_request` where the blocks are solidified or the chain is not that long.
   */
  readonly reorg: (depth: number, keep: boolean | "together") => Effect.Effect<void, DevnetError>
  readonly balance: (address: string) => bigint
  readonly tokenBalance: (token: Token, address: string) => bigint
}

const word = (hex: string) => hex.padStart(64, "0")
const transferSelector = "a9059cbb"

/** The faucet of a chain; `submit` takes a transaction as the node does, and throws `Refused`. */
export const make = (chain: Chain, submit: (transaction: Transaction, now: number) => void): TronFaucet => {
  const owner = addressOfKey(faucetKey)
  // Two equal transactions made in one millisecond would be one.
  let serial = 0n
  const send = (contract: Contract) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.try({
        try: () => {
          serial += 1n
          const head = chain.head()
          const unsigned = makeTransaction({
            ...referenceOf(chain.at(chain.solid()) ?? head),
            expiration: BigInt(head.time) + expirationAheadMsMax - 1n,
            timestamp: BigInt(now) + serial,
            feeLimit: contract.type === "TransferContract" ? 0n : feeLimitMax,
            memo: "",
            permissionId: 0n,
            contract
          })
          submit({ ...unsigned, signatures: [signature(faucetKey, unsigned.id)] }, now)
          return unsigned.id
        },
        catch: (cause) =>
          new DevnetError({
            code: cause instanceof Refused ? "invalid_request" : "rpc_failed",
            message: cause instanceof Error ? cause.message : String(cause),
            hint: "Choose another receiver or amount.",
            cause
          })
      })
    )
  const call: TronFaucet["call"] = (contract, data, value = 0n) =>
    send({ type: "TriggerSmartContract", owner, contract, callValue: value, data })
  return {
    chain,
    call,
    sendNative: (to, amount) => send({ type: "TransferContract", owner, to, amount }),
    transfer: (token, to, units) =>
      call(token.address, transferSelector + word(to.slice(2)) + word(units.toString(16))),
    setPaused: (token, paused) =>
      call(token.address, toFunctionSelector(`function ${paused ? "pause" : "unpause"}()`).slice(2)),
    setBlacklisted: (token, address, blacklisted) =>
      call(
        token.address,
        toFunctionSelector(`function ${blacklisted ? "addBlackList" : "removeBlackList"}(address)`).slice(2) +
          word(address.slice(2))
      ),
    mine: (count) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (let mined = 0; mined < count; mined += 1) chain.mine(now)
      }),
    reorg: (depth, keep) =>
      depth > chain.head().number - chain.solid()
        ? Effect.fail(
            new DevnetError({
              code: "invalid_request",
              message: `cannot replace ${depth} blocks: all up to ${chain.solid()} of ${chain.head().number} are solidified`,
              hint: "Choose a smaller depth, or start the node with a longer way to solidity."
            })
          )
        : Effect.map(Clock.currentTimeMillis, (now) => chain.reorg(depth, keep, now)),
    balance: (address) => chain.store.get(keys.balance(address)),
    tokenBalance: (token, address) => chain.store.get(keys.token(token.address, address))
  }
}
