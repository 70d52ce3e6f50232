import { service } from "./service.ts"

/** The vault and the keys' hashes need Node. */
export const runtime = "nodejs"

/** Every answer is for one partner and one moment. */
export const dynamic = "force-dynamic"

/** The platform before this application overwrites the header, whatever a client put there. */
const addressHeader = "x-real-ip"

const answer = (request: Request): Promise<Response> =>
  service.handler(request, { clientAddress: request.headers.get(addressHeader) ?? undefined })

export { answer as GET, answer as HEAD, answer as POST, answer as PUT, answer as PATCH, answer as DELETE }
