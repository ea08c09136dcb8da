"""What the dashboard keeps: uploads and reviews, in a database."""
