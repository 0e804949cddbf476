#!/usr/bin/env python3
"""Runs Wagtail with its API and some articles: wagtail_server.py PORT FOLDER ARTICLES."""

import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.core.servers.basehttp import run as serve

port, folder, articles = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder + "/cms.db"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "wagtail.api.v2", "wagtail.users", "wagtail.images", "wagtail.documents", "wagtail.search",
        "wagtail.admin", "wagtail", "taggit", "modelcluster", "rest_framework", "django.contrib.auth",
        "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
    ],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of a test",
    STATIC_URL="/static/",
    USE_TZ=True,
    WAGTAIL_SITE_NAME="A site of a test",
    WAGTAILADMIN_BASE_URL="http://127.0.0.1",
)
django.setup()

from django.core.wsgi import get_wsgi_application
from django.urls import include, path
from wagtail import urls as wagtail_urls
from wagtail.api.v2.router import WagtailAPIRouter
from wagtail.api.v2.views import PagesAPIViewSet
from wagtail.models import Page, Site


class Pages(PagesAPIViewSet):
    meta_fields = [*PagesAPIViewSet.meta_fields, "last_published_at"]
    listing_default_fields = [*PagesAPIViewSet.listing_default_fields, "last_published_at"]


api = WagtailAPIRouter("api")
api.register_endpoint("pages", Pages)
urlpatterns = [path("api/v2/", api.urls), path("", include(wagtail_urls))]

call_command("migrate", verbosity=0)
Site.objects.update(hostname="www.example.com", port=443)
home = Site.objects.get(is_default_site=True).root_page
for number in range(1, articles + 1):
    page = home.add_child(instance=Page(title=f"Article {number}", slug=f"article-{number}", live=False))
    page.save_revision().publish()
home.add_child(instance=Page(title="A draft", slug="draft", live=False))
serve("127.0.0.1", port, get_wsgi_application(), threading=True)
