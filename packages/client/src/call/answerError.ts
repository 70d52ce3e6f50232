import type { ErrorDetail } from "@bursar/api/errors/ErrorBody"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error in an answer's body, if the service wrote it; a proxy in between writes other things. */
export const answerError = (text: string): ErrorDetail | undefined => {
  const body = parse(text)
  const error = isRecord(body) ? body["error"] : undefined
  if (!isRecord(error) || typeof error["code"] !== "string" || typeof error["message"] !== "string") return undefined
  return {
    code: error["code"],
    message: error["message"],
    // Whoever writes a code and a message writes the rest of the contract's body.
    ...(isRecord(error["detail"]) ? { detail: error["detail"] as NonNullable<ErrorDetail["detail"]> } : {}),
    ...(Array.isArray(error["fields"]) ? { fields: error["fields"] as NonNullable<ErrorDetail["fields"]> } : {}),
    request_id: typeof error["request_id"] === "string" ? error["request_id"] : "",
    retryable: error["retryable"] === true
  }
}

/**
 * Whether the very same request may succeed later: as the service says. Where something else wrote the answer, it may after
 * 429 and any error of a server: proxies have statuses of their own, such as 522.
 */
export const isPassing = (status: number, error: ErrorDetail | undefined): boolean =>
  error === undefined ? status === 429 || status >= 500 : error.retryable

/** Whether an answer to a change leaves open what has become of it: one that the service did not write, or did in trouble. */
export const leavesOpen = (status: number, error: ErrorDetail | undefined): boolean =>
  error === undefined || status >= 500 || error.code === "idempotency_in_flight"
