import { makeService } from "example-service"

/** One service for the process. With storage in memory it starts empty whenever the module is loaded anew. */
export const service = makeService()
