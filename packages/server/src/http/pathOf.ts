/** The path of a request's URL as it was sent, without its query. A `#` never belongs there, and stays to be refused. */
export const pathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}
