import { Effect, Schema } from "effect"
import { getAddress, numberToHex } from "viem"
import { recoverAuthorizationAddress } from "viem/utils"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { readHeader } from "../read/readBlock.ts"
import { Address, Hash, Quantity, same, SmallQuantity } from "../rpc/wire.ts"

/** The transaction that used a nonce of an account up: that stands at it, or carried an authorization of the account with it (EIP-7702). */
export interface NonceConsumer {
  /** In lower case. */
  readonly txHash: string
  readonly block: BlockRef
}

/** Those found last, by account and nonce: a node may have forgotten by the time of finality what it knew in the beginning. */
export type NonceConsumers = Map<string, NonceConsumer>

const consumersMax = 1_000

const MinedTransaction = Schema.Struct({ hash: Hash, from: Address, nonce: Quantity, blockHash: Hash })

// Of kinds that are not known a transaction may lack any field; one with a nonce of ours is of a known kind.
const Sent = Schema.Struct({ hash: Hash, transactions: Schema.Array(Schema.Unknown) })

const isSent = Schema.is(MinedTransaction)

const Authorization = Schema.Struct({
  chainId: Quantity,
  address: Address,
  nonce: Quantity,
  yParity: Quantity,
  r: Quantity,
  s: Quantity
})

const isAuthorizing = Schema.is(
  Schema.Struct({ hash: Hash, blockHash: Hash, authorizationList: Schema.Array(Schema.Unknown) })
)

const isAuthorization = Schema.is(Authorization)

/** Whether an account has signed an authorization with a nonce: by the signature, not by anybody's word. */
const isSignedBy = (account: string, nonce: bigint, said: typeof Authorization.Type): Effect.Effect<boolean> =>
  BigInt(said.nonce) === nonce
    ? Effect.match(
        Effect.tryPromise(() =>
          recoverAuthorizationAddress({
            authorization: {
              chainId: Number(said.chainId),
              address: getAddress(said.address),
              nonce: Number(said.nonce),
              yParity: Number(said.yParity),
              r: numberToHex(BigInt(said.r), { size: 32 }),
              s: numberToHex(BigInt(said.s), { size: 32 })
            }
          })
        ),
        { onSuccess: (signer) => same(signer, account), onFailure: () => false }
      )
    : Effect.succeed(false)

/** The transactions of a block, in its order, that carried an authorization which an account has signed with a nonce. */
const authorizing = Effect.fnUntraced(function* (transactions: ReadonlyArray<unknown>, account: string, nonce: bigint) {
  return yield* Effect.filter(transactions.filter(isAuthorizing), ({ authorizationList }) =>
    Effect.map(
      Effect.forEach(authorizationList.filter(isAuthorization), (one) => isSignedBy(account, nonce, one)),
      (signed) => signed.includes(true)
    )
  )
})

/** How many transactions of an account there are up to a block. */
export const readCount = Effect.fnUntraced(function* (
  rpc: Rpc,
  account: string,
  at: number | "latest"
): Effect.fn.Return<bigint, ChainError> {
  const doing = `count the transactions of ${account}`
  const tag = typeof at === "number" ? `0x${at.toString(16)}` : at
  const answer = yield* rpc.ask(doing, "eth_getTransactionCount", [account, tag])
  return BigInt(yield* decoded(rpc.network, doing, SmallQuantity, answer))
})

/**
 * The height at which the count came to exceed the nonce. Steps back from the tip, doubling, because what is looked for is
 * seldom old and nodes keep few old states; then halves.
 */
const heightOf = Effect.fnUntraced(function* (
  rpc: Rpc,
  account: string,
  nonce: bigint,
  latest: number
): Effect.fn.Return<number, ChainError> {
  const taken = (height: number) => Effect.map(readCount(rpc, account, height), (count) => count > nonce)
  if (!(yield* taken(latest))) {
    const doing = `find who used nonce ${nonce} of ${account}`
    return yield* inconsistent(rpc.network, doing, `the nonce is free at block ${latest}, and was not a moment ago`)
  }
  let high = latest
  let low = latest
  let step = 1
  while (low > 0) {
    low = Math.max(0, low - step)
    if (!(yield* taken(low))) break
    high = low
    step *= 2
  }
  // An account that had used the nonce in the first block of all has it from there.
  if (high === 0) return 0
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    if (yield* taken(middle)) high = middle
    else low = middle
  }
  return high
})

const search = Effect.fnUntraced(function* (
  rpc: Rpc,
  account: string,
  nonce: bigint,
  latest: number
): Effect.fn.Return<NonceConsumer, ChainError> {
  const doing = `find who used nonce ${nonce} of ${account}`
  const block = yield* readHeader(rpc, yield* heightOf(rpc, account, nonce, latest))
  const answer = yield* rpc.ask(doing, "eth_getBlockByHash", [block.hash, true])
  const { hash, transactions } = yield* decoded(rpc.network, doing, Sent, answer)
  if (!same(hash, block.hash)) return yield* inconsistent(rpc.network, doing, `the node answered with block ${hash}`)
  const found = transactions.filter(isSent).filter((one) => same(one.from, account) && BigInt(one.nonce) === nonce)
  // without a transaction at it, an authorization of the account may have used it up: the first, as anybody can copy it into later ones
  const [consumer] = found.length > 0 ? found : yield* authorizing(transactions, account, nonce)
  if (consumer === undefined || found.length > 1 || !same(consumer.blockHash, block.hash)) {
    return yield* inconsistent(rpc.network, doing, `block ${block.number} has ${found.length} transactions with it`)
  }
  return { txHash: consumer.hash.toLowerCase(), block }
})

/**
 * The transaction that used up a nonce, found where the count of the account grew and read in that block. To be asked only
 * where the newest block counts more. Positive proof: that no transaction of ours is known proves nothing, a node may lack it.
 *
 * **Gotchas**
 *
 * Asks for the state of past blocks, of which a node that is no archive keeps the last 128 or so. What was found is remembered
 * by the process and only looked up again, so it is enough to ask once before the node forgets.
 */
export const readNonceConsumer = Effect.fn("EvmSender.readNonceTaker")(function* (
  rpc: Rpc,
  consumers: NonceConsumers,
  { account, latest, nonce }: { readonly account: string; readonly nonce: bigint; readonly latest: number }
): Effect.fn.Return<NonceConsumer, ChainError> {
  const key = `${account} ${nonce}`
  const known = consumers.get(key)
  if (known !== undefined) {
    const { hash } = yield* readHeader(rpc, known.block.number)
    if (hash === known.block.hash) return known
    consumers.delete(key)
  }
  const found = yield* search(rpc, account, nonce, latest)
  const [oldest] = consumers.keys()
  if (consumers.size >= consumersMax && oldest !== undefined) consumers.delete(oldest)
  consumers.set(key, found)
  return found
})
