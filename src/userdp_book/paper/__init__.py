"""From the built HTML to what is read without a browser: PDF and EPUB."""
