import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { deriveAddresses } from "@bursar/core/address/deriveAddresses"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { Writer } from "@bursar/core/engine/Writer"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { makeIndexReservations } from "@bursar/server/handlers/addresses/IndexReservations"
import { address as codec, crypto } from "bitcoinjs-lib"
import { BIP32Factory } from "bip32"
import { Clock, Effect } from "effect"
import * as ecc from "tiny-secp256k1"
import { bytesToHex, getAddress, keccak256 } from "viem"
import { idleNodes, layerNetworksAlone } from "../test/support/idleNodes.ts"
import { throughput } from "./measure.ts"

const addressesPerRequest = 100
const callers = 8
const indexTo = 0x7fff_ffff

/** Accounts of the mnemonic "abandon × 11 about", with what bip32 and one more call make of a key below them. */
const bares = {
  ethereum: {
    xpub: "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
    encode: (publicKey: Uint8Array): string => {
      const hash = keccak256(bytesToHex(ecc.pointCompress(publicKey, false).subarray(1)))
      return getAddress(`0x${hash.slice(-40)}`)
    }
  },
  bitcoin: {
    xpub: "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V",
    encode: (publicKey: Uint8Array): string => codec.toBech32(crypto.hash160(publicKey), 0, "bc")
  }
} as const

/** Addresses per second of a loop that does nothing else. */
const bareLoop = Effect.fnUntraced(function* (network: keyof typeof bares, seconds: number) {
  const { encode, xpub } = bares[network]
  const receiving = BIP32Factory(ecc).fromBase58(xpub).derive(0)
  const started = yield* Clock.currentTimeMillis
  let count = 0
  while ((yield* Clock.currentTimeMillis) < started + seconds * 1000) {
    for (const end = count + addressesPerRequest; count < end; count++) encode(receiving.derive(count).publicKey)
  }
  return (count * 1000) / ((yield* Clock.currentTimeMillis) - started)
})

/**
 * Addresses per second of one tenant from asked for to committed, 100 a request, as `POST /v1/deposit-addresses/derive` does it;
 * and of the bare loop. Two numbers of one network.
 */
export const derivations = Effect.fnUntraced(
  function* (tenant: Tenant, network: keyof typeof bares, seconds: number) {
    const writer = yield* Writer
    const queries = yield* Queries
    const { accountKeyName, derive, parse } = adapterOf(yield* Networks, network).keys
    const lines = yield* makeIndexReservations
    const { xpub } = bares[network]
    const canonical = yield* Effect.map(Effect.fromResult(parse(xpub)), (checked) => checked.canonical)
    yield* writer.submit(
      tenant.id,
      registerXpub({ network, xpub, canonical, accountName: accountKeyName(canonical), indexFrom: 0, indexTo })
    )
    const request = Effect.gen(function* () {
      const place = yield* lines.join(tenant.id)
      const [live] = yield* queries.xpubs(tenant.id, { network, includeRetired: false })
      if (live === undefined) return yield* Effect.die(new Error("no live xpub"))
      const prederived = yield* place.prederived({
        account: canonical,
        committed: live.nextIndex,
        count: addressesPerRequest,
        indexTo,
        attempt: 0,
        derive: (from, count) => derive(canonical, from, count)
      })
      return yield* writer.submit(
        tenant.id,
        deriveAddresses({
          network,
          reference: "bench",
          count: addressesPerRequest,
          prederived: { ...prederived, xpubId: live.id }
        })
      )
    }).pipe(Effect.scoped)
    yield* request
    // second by second in turns: what else the machine does meanwhile is the same for both
    let [bare, derived] = [0, 0]
    for (let second = 0; second < seconds; second++) {
      bare += (yield* bareLoop(network, 1)) / seconds
      derived += ((yield* throughput(callers, 1, () => request)).perSecond * addressesPerRequest) / seconds
    }
    return { bare, derived }
  },
  Effect.provide(layerNetworksAlone(idleNodes, defaultCurrencies))
)
