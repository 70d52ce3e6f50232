import type { KeepLimits } from "../calls/forgetOld.ts"

/** How webhooks are delivered. */
export interface DeliverOptions {
  /** SERVICE_NAME: it stands in the names of the headers. */
  readonly serviceName: string
  /** Whether endpoints of SANDBOX tenants may be on loopback and private addresses; for development alone. */
  readonly sandboxMayReachLocal: boolean
  readonly limits?: DeliverLimits
}

/** How much is delivered at a time, and how long each thing may take. */
export interface DeliverLimits {
  /** Endpoints worked on at once by this process. */
  readonly endpointsMax: number
  /** Requests in flight at once to an endpoint that does well; to one that fails, one. */
  readonly inFlightMax: number
  /** Attempts of an endpoint that have begun and are not stored: these are made again where the process dies. */
  readonly unreportedMax: number
  /** Events and retries taken for an endpoint in one lease. */
  readonly eventsPerLeaseMax: number
  /** How long a lease lasts; no attempt is begun that might outlast it. */
  readonly leaseMs: number
  /** How long an endpoint is served while others may wait: then no attempt is begun before its next turn. */
  readonly turnMs: number
  /** How long to wait before looking again where nothing was to be sent. */
  readonly pollIntervalMs: number
  readonly connectTimeoutMs: number
  readonly totalTimeoutMs: number
  /** How much of an answer is read and logged. */
  readonly responseBytesMax: number
  /** For how long attempts are kept. */
  readonly attempts: KeepLimits
}

/** The times are the contract's (5 s to connect, 15 s in all, 8 KiB logged). */
export const defaultDeliverLimits: DeliverLimits = {
  endpointsMax: 64,
  inFlightMax: 16,
  unreportedMax: 256,
  eventsPerLeaseMax: 500,
  leaseMs: 60_000,
  turnMs: 5_000,
  pollIntervalMs: 1_000,
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 15_000,
  responseBytesMax: 8 * 1_024,
  attempts: { keptMs: 30 * 86_400_000, intervalMs: 3_600_000, forgottenMax: 5_000 }
}
