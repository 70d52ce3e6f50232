/** The names of the headers on a delivery of a service called `serviceName`: `service` gives `X-Service-Signature`. */
export const webhookHeaders = (
  serviceName: string
): { readonly eventId: string; readonly timestamp: string; readonly signature: string } => {
  const name = serviceName
    .split(/[\s_-]+/u)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join("-")
  return { eventId: `X-${name}-Event-Id`, timestamp: `X-${name}-Timestamp`, signature: `X-${name}-Signature` }
}
