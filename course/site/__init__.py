"""The course as a website: the stored notebooks as static pages, readable offline, widgets live without a kernel."""
