import { payments } from "bitcoinjs-lib"
import { hex, type Output, publicKeys, scripts } from "./wallet.ts"

const repeated = (head: string, bytes: number) => hex(`${head}${"5a".repeat(bytes)}`)
const multisig = payments.p2ms({ m: 1, pubkeys: [publicKeys.compressed, publicKeys.compressed] }).output

/** An output of each kind, the spendable ones first; some without value, and one of them twice. */
export const outputs: ReadonlyArray<Output> = [
  { script: scripts.p2wpkh, value: 1_000_000n },
  { script: scripts.p2pkh, value: 2_000_001n },
  { script: scripts.p2sh, value: 3_000_000n },
  { script: scripts.p2tr, value: 400_000_003n },
  { script: scripts.p2wpkh, value: 5_000_000n },
  // P2WSH.
  { script: repeated("0020", 32), value: 546n },
  // P2TR whose key is no point.
  { script: hex(`5120${"ff".repeat(32)}`), value: 547n },
  // P2A.
  { script: hex("51024e73"), value: 240n },
  // Segwit of versions to come.
  { script: repeated("5202", 2), value: 548n },
  { script: repeated("6028", 40), value: 549n },
  // Public keys, and a multisig without a hash.
  { script: Uint8Array.of(0x21, ...publicKeys.compressed, 0xac), value: 550n },
  { script: Uint8Array.of(0x41, ...publicKeys.uncompressed, 0xac), value: 551n },
  { script: multisig ?? hex(""), value: 552n },
  // Data, short and long, and what no node relays.
  { script: hex("6a"), value: 0n },
  { script: hex("6a0401020304"), value: 0n },
  { script: repeated("6a4c50", 80), value: 1n },
  { script: hex(""), value: 553n },
  { script: hex("51"), value: 554n },
  // A push beyond the end.
  { script: hex("4c"), value: 555n },
  { script: scripts.p2wpkh, value: 0n },
  { script: scripts.p2pkh, value: 1n }
]
