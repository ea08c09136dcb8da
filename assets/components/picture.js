// Twice as sharp as the screen, or as large as every browser can draw. On white: SVG has no background of its own.
export default function({data, parentElement}) {
  const button = parentElement.querySelector('button')
  button.textContent = data.label
  button.onclick = async () => {
    const url = URL.createObjectURL(new Blob([data.svg], {type: 'image/svg+xml'}))
    const image = new Image()
    image.src = url
    await image.decode()
    const scale = Math.min(2, data.most / Math.max(image.naturalWidth, image.naturalHeight))
    const canvas = document.createElement('canvas')
    canvas.width = Math.ceil(image.naturalWidth * scale)
    canvas.height = Math.ceil(image.naturalHeight * scale)
    const pen = canvas.getContext('2d')
    pen.fillStyle = '#FFFFFF'
    pen.fillRect(0, 0, canvas.width, canvas.height)
    pen.drawImage(image, 0, 0, canvas.width, canvas.height)
    URL.revokeObjectURL(url)
    const link = document.createElement('a')
    link.href = canvas.toDataURL('image/png')
    link.download = data.file
    link.click()
  }
}
