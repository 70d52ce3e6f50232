/** Gives the browser a file to keep. */
export const saveFile = (name: string, parts: ReadonlyArray<BlobPart>, type: string): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
