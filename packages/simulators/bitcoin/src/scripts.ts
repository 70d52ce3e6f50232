import { address as codec, networks, script as codes } from "bitcoinjs-lib"
import { isPoint, isXOnlyPoint } from "tiny-secp256k1"
import { toHex } from "./bytes.ts"
import { withChecksum } from "./descriptor.ts"

const { bech32, pubKeyHash, scriptHash } = networks.regtest

/** The kinds of output scripts, by Bitcoin Core's names. */
export type ScriptKind =
  | "pubkey"
  | "pubkeyhash"
  | "scripthash"
  | "multisig"
  | "nulldata"
  | "anchor"
  | "witness_v0_keyhash"
  | "witness_v0_scripthash"
  | "witness_v1_taproot"
  | "witness_unknown"
  | "nonstandard"

const has = (script: Uint8Array, length: number, head: string, tail = ""): boolean => {
  const hex = script.length === length ? toHex(script) : ""
  return hex !== "" && hex.startsWith(head) && hex.endsWith(tail)
}

const isPushOnly = (script: Uint8Array): boolean => {
  const chunks = codes.decompile(script)
  return chunks !== null && codes.isPushOnly(chunks)
}

const isKey = (chunk: number | Uint8Array | undefined): boolean =>
  typeof chunk === "object" && (chunk.length === 33 || chunk.length === 65)

/** What a multisig without a hash asks for, as far as nodes relay it: of up to three keys. */
const multisigOf = (
  script: Uint8Array
): { readonly required: number; readonly keys: ReadonlyArray<Uint8Array> } | undefined => {
  const chunks = codes.decompile(script) ?? []
  const [first] = chunks
  const count = chunks.at(-2)
  if (typeof first !== "number" || typeof count !== "number" || chunks.at(-1) !== 0xae) return undefined
  const between = chunks.slice(1, -2)
  const keys = between.filter((chunk) => typeof chunk === "object")
  const isSound = first >= 0x51 && count >= first && count <= 0x53 && between.length === count - 0x50
  return isSound && between.every(isKey) ? { required: first - 0x50, keys } : undefined
}

const witnessKind = (script: Uint8Array): ScriptKind | undefined => {
  const [version = -1, length = 0] = script
  const isProgram = script.length >= 4 && script.length <= 42 && script.length === length + 2
  if (!isProgram || !(version === 0 || (version >= 0x51 && version <= 0x60))) return undefined
  if (has(script, 22, "0014")) return "witness_v0_keyhash"
  if (has(script, 34, "0020")) return "witness_v0_scripthash"
  if (version === 0) return "nonstandard"
  if (has(script, 34, "5120")) return "witness_v1_taproot"
  return has(script, 4, "51024e73") ? "anchor" : "witness_unknown"
}

/** What kind of script it is. */
export const kindOf = (script: Uint8Array): ScriptKind => {
  const witness = witnessKind(script)
  if (witness !== undefined) return witness
  if (has(script, 25, "76a914", "88ac")) return "pubkeyhash"
  if (has(script, 23, "a914", "87")) return "scripthash"
  if (has(script, 35, "21", "ac") || has(script, 67, "41", "ac")) return "pubkey"
  if (script[0] === 0x6a && isPushOnly(script.subarray(1))) return "nulldata"
  return multisigOf(script) === undefined ? "nonstandard" : "multisig"
}

/** The regtest address that a script pays to, if it has one. */
export const addressOf = (script: Uint8Array): string | undefined => {
  const kind = kindOf(script)
  if (kind === "pubkeyhash") return codec.toBase58Check(script.subarray(3, 23), pubKeyHash)
  if (kind === "scripthash") return codec.toBase58Check(script.subarray(2, 22), scriptHash)
  if (kind.startsWith("witness_") || kind === "anchor") {
    return codec.toBech32(script.subarray(2), script[0] === 0 ? 0 : (script[0] ?? 0) - 0x50, bech32)
  }
  return undefined
}

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Whether a text is an address of bytes with a checksum, whatever network it is of. */
export const isBase58Check = (text: string): boolean => attempt(() => codec.fromBase58Check(text)) !== undefined

/** The script of a regtest address; undefined if it is none. */
export const scriptOf = (address: string): Uint8Array | undefined => {
  const segwit = attempt(() => codec.fromBech32(address))
  if (segwit !== undefined) {
    const { data, prefix, version } = segwit
    if (prefix !== bech32 || data.length < 2 || data.length > 40) return undefined
    if (version === 0 && data.length !== 20 && data.length !== 32) return undefined
    return Uint8Array.of(version === 0 ? 0 : 0x50 + version, data.length, ...data)
  }
  const base58 = attempt(() => codec.fromBase58Check(address))
  if (base58?.version === pubKeyHash) return Uint8Array.of(0x76, 0xa9, 0x14, ...base58.hash, 0x88, 0xac)
  return base58?.version === scriptHash ? Uint8Array.of(0xa9, 0x14, ...base58.hash, 0x87) : undefined
}

const words = (chunk: number | Uint8Array): string => {
  if (typeof chunk === "object") {
    return chunk.length <= 4 ? String(codes.number.decode(chunk, 4, false)) : toHex(chunk)
  }
  if (chunk === 0) return "0"
  if (chunk === 0x4f) return "-1"
  return chunk >= 0x51 && chunk <= 0x60 ? String(chunk - 0x50) : codes.toASM([chunk])
}

/** The script in words, as Bitcoin Core writes it. */
export const asmOf = (script: Uint8Array): string => {
  const chunks = attempt(() => codes.decompile(script))
  return chunks === undefined || chunks === null ? "[error]" : chunks.map(words).join(" ")
}

/** The hash types of ECDSA signatures, as Bitcoin Core names them. */
const hashTypes: ReadonlyMap<number, string> = new Map([
  [0x01, "[ALL]"],
  [0x02, "[NONE]"],
  [0x03, "[SINGLE]"],
  [0x81, "[ALL|ANYONECANPAY]"],
  [0x82, "[NONE|ANYONECANPAY]"],
  [0x83, "[SINGLE|ANYONECANPAY]"]
])

/** The script of an input in words: of a signature, the hash type is named. */
export const scriptSigAsmOf = (script: Uint8Array): string => {
  const chunks = attempt(() => codes.decompile(script))
  if (chunks === undefined || chunks === null) return "[error]"
  return chunks
    .map((chunk) => {
      if (typeof chunk !== "object" || !codes.isCanonicalScriptSignature(chunk)) return words(chunk)
      return `${toHex(chunk.subarray(0, -1))}${hashTypes.get(chunk.at(-1) ?? 0) ?? ""}`
    })
    .join(" ")
}

/** What is paid to by public keys alone, where each is a point of the curve. */
const keysDescriptorOf = (script: Uint8Array): string | undefined => {
  const kind = kindOf(script)
  if (kind === "pubkey") {
    const key = script.subarray(1, -1)
    return isPoint(key) ? `pk(${toHex(key)})` : undefined
  }
  const { keys, required } = (kind === "multisig" ? multisigOf(script) : undefined) ?? { keys: [], required: 0 }
  return keys.length > 0 && keys.every((key) => isPoint(key))
    ? `multi(${[required, ...keys.map(toHex)].join(",")})`
    : undefined
}

/** What a script pays to, as Bitcoin Core infers it, without its checksum. */
const descriptorOf = (script: Uint8Array): string => {
  const keys = keysDescriptorOf(script)
  if (keys !== undefined) return keys
  const address = addressOf(script)
  if (kindOf(script) === "witness_v1_taproot" && isXOnlyPoint(script.subarray(2)))
    return `rawtr(${toHex(script.subarray(2))})`
  return address === undefined ? `raw(${toHex(script)})` : `addr(${address})`
}

/** A script in JSON. */
export const scriptJson = (script: Uint8Array) => {
  const address = addressOf(script)
  return {
    asm: asmOf(script),
    desc: withChecksum(descriptorOf(script)),
    hex: toHex(script),
    ...(address === undefined ? {} : { address }),
    type: kindOf(script)
  }
}
