/** What a key signs to show that it is there. */
export interface ReserveClaim {
  readonly service: string
  readonly snapshotId: string
  /** SHA-256 of what is owed by the snapshot, in lower-case hexadecimal. */
  readonly commitment: string
  readonly network: string
  /** Canonical. */
  readonly address: string
  /** RFC 3339. */
  readonly takenAt: string
}

/** A text that takes one line, whoever shows it. */
export const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u
const hash = /^[0-9a-f]{64}$/u
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

/** Why nothing should be signed for a claim; undefined where it says what it has to. */
export const claimObjection = (claim: ReserveClaim): string | undefined => {
  if (!uuid.test(claim.snapshotId)) return "The snapshot has no id."
  if (!hash.test(claim.commitment)) return "The commitment is no SHA-256."
  const lines = [claim.service, claim.network, claim.address, claim.takenAt]
  return lines.every((line) => oneLine.test(line)) ? undefined : "What it names takes more than one line."
}

/**
 * The text that the key of an address signs. Its first line tells people and machines what it is, and is never a transaction's: each
 * network's standard for messages puts a prefix of its own before it that no transaction has.
 */
export const reserveMessage = ({ address, commitment, network, service, snapshotId, takenAt }: ReserveClaim): string =>
  [
    "Proof of reserves. This text moves nothing and gives nobody a right.",
    `Service: ${service}`,
    `Snapshot: ${snapshotId}`,
    `Liabilities: ${commitment}`,
    `Network: ${network}`,
    `Address: ${address}`,
    `Taken: ${takenAt}`
  ].join("\n")
