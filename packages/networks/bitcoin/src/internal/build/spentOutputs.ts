import { crypto, Transaction } from "bitcoinjs-lib"
import { Effect, Result } from "effect"
import { utxoSizes, scriptTypeOf } from "../plan/UtxoSizes.ts"
import type { ChainError } from "@bursar/core/port/Chain"
import { CannotBuild } from "@bursar/core/port/ChainSender"
import type { Utxo } from "@bursar/core/port/Utxo"
import type { BitcoinChainName } from "../facts.ts"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { absent, decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { headerOfHash } from "../read/readHeader.ts"
import { sameBytes, scriptOfAddress } from "../rpc/scriptOfAddress.ts"
import { Hash, Hex, satoshi, type UnspentOutput } from "../rpc/wire.ts"
import { transactionWithoutWitness } from "../read/withoutWitness.ts"
import type { SpentOutput } from "./UnsignedPsbt.ts"
import { keyOf, unspentOf } from "./unspent.ts"

const doing = "read the coins of a transaction"

/** Blocks on top of a coinbase before it can be spent. */
const maturity = 100

const immature = (utxo: Utxo): CannotBuild =>
  new CannotBuild({
    network: "bitcoin",
    reason: "insufficient_wallet",
    detail: `the coin ${keyOf(utxo)} was mined less than ${maturity} blocks ago and cannot be spent yet`,
    missing: null
  })

/** The transaction that made a coin, without its witness. It is asked for by its block: no index of transactions is needed. */
const previousOf = Effect.fn("BitcoinSender.previousOf")(function* (
  rpc: BitcoinRpc,
  { txHash }: Utxo,
  { bestblock, confirmations }: UnspentOutput
): Effect.fn.Return<Uint8Array, ChainError> {
  const { height } = yield* headerOfHash(rpc, doing, bestblock)
  const at = height - confirmations + 1
  const blockHash = yield* decoded(doing, Hash, yield* rpc.ask(doing, "getblockhash", [at]))
  const hex = yield* decoded(doing, Hex, yield* rpc.ask(doing, "getrawtransaction", [txHash, false, blockHash]))
  const transaction = yield* Effect.try({
    try: () => Transaction.fromBuffer(transactionWithoutWitness(Buffer.from(hex, "hex"))),
    catch: () => inconsistent(doing, `the bytes of transaction ${txHash} cannot be decoded`)
  })
  if (transaction.getId() !== txHash) return yield* inconsistent(doing, `these are not the bytes of ${txHash}`)
  return transaction.toBuffer()
})

/** The script within P2SH, of the key that the coin comes with. */
const redeemOf = (script: Uint8Array, utxo: Utxo): Effect.Effect<Uint8Array, ChainError> => {
  const key = Uint8Array.from(Buffer.from(utxo.publicKey ?? "", "hex"))
  const redeem = Uint8Array.of(0x00, 0x14, ...crypto.hash160(key))
  return sameBytes(Uint8Array.of(0xa9, 0x14, ...crypto.hash160(redeem), 0x87), script)
    ? Effect.succeed(redeem)
    : Effect.fail(inconsistent(doing, `the coin ${keyOf(utxo)} is of P2SH and does not come with its public key`))
}

const describe = Effect.fn("BitcoinSender.describe")(function* (
  rpc: BitcoinRpc,
  chain: BitcoinChainName,
  utxo: Utxo,
  output: UnspentOutput | undefined
): Effect.fn.Return<SpentOutput, ChainError | CannotBuild> {
  const name = keyOf(utxo)
  if (output === undefined) {
    return yield* absent(
      doing,
      `${name} is not unspent in the newest block: it was spent, or lost, or the node is behind`
    )
  }
  const script = yield* Effect.fromResult(
    Result.mapError(scriptOfAddress(chain, utxo.address), (words) => inconsistent(doing, words))
  )
  if (output.scriptPubKey.hex !== Buffer.from(script).toString("hex")) {
    return yield* inconsistent(doing, `${name} is not of ${utxo.address}`)
  }
  if (satoshi(output.value) !== utxo.units) {
    return yield* inconsistent(doing, `${name} holds ${satoshi(output.value)} satoshi, not ${utxo.units}`)
  }
  if (output.coinbase && output.confirmations < maturity) return yield* immature(utxo)
  const type = scriptTypeOf(utxo.address)
  if (utxoSizes.input[type] === null)
    return yield* inconsistent(doing, `${name} is of ${type}, which is not spent here`)
  return {
    txHash: utxo.txHash,
    vout: utxo.vout,
    units: utxo.units,
    script,
    redeem: type === "p2sh" ? yield* redeemOf(script, utxo) : undefined,
    previous: type === "p2pkh" ? yield* previousOf(rpc, utxo, output) : undefined
  }
})

/**
 * What has to be known of coins to spend them. Each must be unspent in the node's newest block and be what it is said to be: of its
 * address and of its amount. A coin of a transaction that only waits is none.
 */
export const spentOutputs = Effect.fn("BitcoinSender.spentOutputs")(function* (
  rpc: BitcoinRpc,
  chain: BitcoinChainName,
  utxos: ReadonlyArray<Utxo>
): Effect.fn.Return<ReadonlyArray<SpentOutput>, ChainError | CannotBuild> {
  const outputs = yield* unspentOf(rpc, doing, utxos)
  return yield* Effect.forEach(utxos, (utxo, index) => describe(rpc, chain, utxo, outputs[index]))
})
