import { concatBytes } from "viem"
import type { Receipt } from "../rpc/wire.ts"
import { bytes, listRoot, type Rlp, rlp, scalar } from "./listRoot.ts"

const depositType = 0x7e

/**
 * A receipt as consensus encodes it (EIP-2718): four fields with the type before them, which old transactions do not have.
 * Deposits of the OP stack add two fields where there is a version (Canyon and later).
 */
export const encodedReceipt = (receipt: Receipt): Uint8Array => {
  const { cumulativeGasUsed, depositNonce, depositReceiptVersion, logs, logsBloom, status, type } = receipt
  const kind = Number(type ?? "0x0")
  const fields: ReadonlyArray<Rlp> = [
    scalar(status),
    scalar(cumulativeGasUsed),
    bytes(logsBloom),
    logs.map((log) => [bytes(log.address), log.topics.map(bytes), bytes(log.data)])
  ]
  if (kind === 0) return rlp(fields)
  const versioned =
    kind === depositType && typeof depositNonce === "string" && typeof depositReceiptVersion === "string"
  const body = rlp(versioned ? [...fields, scalar(depositNonce), scalar(depositReceiptVersion)] : fields)
  return concatBytes([Uint8Array.of(kind), body])
}

/** The root of the trie of a block's receipts, at least one, which its header has to name. */
export const receiptsRoot = (receipts: ReadonlyArray<Receipt>): string => listRoot(receipts.map(encodedReceipt))
