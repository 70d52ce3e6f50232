import type { Hex } from "@bursar/simulator-evm/Faucet"
import { Effect } from "effect"
import { createWalletClient, defineChain, http, keccak256, publicActions } from "viem"
import { privateKeyToAccount } from "viem/accounts"

/** A wallet on a node, as any user of viem has one: it signs here and sends what it signed. */
export const walletOn = (rpcUrl: string, chainId: number, key: string) =>
  createWalletClient({
    // A private key is hexadecimal.
    account: privateKeyToAccount(key as Hex),
    chain: defineChain({
      id: chainId,
      name: "local",
      nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } }
    }),
    transport: http(rpcUrl, { retryCount: 0 })
  }).extend(publicActions)

/** Sends coins, whatever the node answers to it. Gives the hash that the signed bytes have. */
export const sendRegardless = (wallet: ReturnType<typeof walletOn>, to: Hex, value: bigint) =>
  Effect.gen(function* () {
    const prepared = yield* Effect.promise(() => wallet.prepareTransactionRequest({ to, value }))
    const serializedTransaction = yield* Effect.promise(() => wallet.signTransaction(prepared))
    yield* Effect.ignore(Effect.tryPromise(() => wallet.sendRawTransaction({ serializedTransaction })))
    return keccak256(serializedTransaction)
  })
